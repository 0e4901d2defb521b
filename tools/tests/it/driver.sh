# Runs each command line in a folder for real, in a place where nothing else can be run: whatever program it names is
# written down with its arguments, says `out`, and succeeds or fails as it is told to.
# Each process into a file of its own: commands run beside one another, and the shell writes a word of several lines in
# several pieces.
__record() { builtin printf '%s\0' "$@" $'\1' >>"$__log.$BASHPID"; }
__run() {
  __record "$@"
  case ${1##*/} in
    bash | sh | zsh | dash)
      shift
      while [[ ${1-} == -* ]]; do
        if [[ $1 == -*c ]]; then eval "${2-}"; return; fi
        shift
      done
      ;;
    timeout)
      shift
      while [[ ${1-} == -* ]]; do [[ $1 == -k || $1 == -s ]] && shift; shift; done
      shift
      "$@"
      ;;
    nohup | nice | stdbuf | setsid)
      shift
      while [[ ${1-} == -* ]]; do [[ $1 == -[nioe] ]] && shift; shift; done
      "$@"
      ;;
    env | sudo)
      shift
      while [[ ${1-} == -* || ${1-} == *=* ]]; do [[ $1 == -[ug] ]] && shift; shift; done
      [[ $# -gt 0 ]] && "$@"
      ;;
    xargs)
      shift
      while [[ ${1-} == -* ]]; do [[ $1 == -[InPLd] ]] && shift; shift; done
      [[ $# -gt 0 ]] && "$@" out
      ;;
    find)
      while [[ $# -gt 0 && ${1-} != -exec && ${1-} != -execdir ]]; do shift; done
      if [[ $# -gt 1 ]]; then
        shift
        local command=()
        while [[ $# -gt 0 && $1 != ';' && $1 != + ]]; do command+=("$1"); shift; done
        "${command[@]}"
      fi
      ;;
  esac
  if [[ ${1-} == cat && $# -eq 1 ]]; then
    local text
    IFS= read -r -d '' text
    builtin printf '%s' "$text"
  else
    builtin echo out
  fi
  return "$__status"
}
command_not_found_handle() { __run "$@"; }
echo() { __record echo "$@"; builtin echo "$@"; }
printf() { __record printf "$@"; builtin echo out; }
pwd() { __record pwd "$@"; builtin echo /w; }
cd() { __record cd "$@"; return "$__status"; }
test() { __record test "$@"; return "$__status"; }
kill() { __record kill "$@"; return "$__status"; }
source() { __record source "$@"; return "$__status"; }
exec() { [[ $# -gt 0 ]] && { __run "$@"; exit; }; }

PATH=/none
for __file in /commands/*; do
  __log=/log/${__file##*/}
  for __status in 0 1; do
    (
      ulimit -t 2 -f 256
      builtin cd /w
      HOME=/h
      eval "$(<"$__file")"
    ) </dev/null >/dev/null 2>&1
  done
done

//! Small questions about programs that the table has no place for: ways of using them that change nothing, and whether
//! they run what they read.

use crate::shell::commands::Word;

/// Programs with the options, standing alone, for which they show their version and do nothing else. Those that run what
/// a project names even then are not among them: `cargo` and `rustc` are whatever the nearest `rust-toolchain.toml` says
/// where rustup provides them, and `go` fetches and starts the version that `go.mod` wants.
const VERSIONS: &[(&str, &[&str])] = &[
    ("cc", &["--version"]),
    ("clang", &["--version"]),
    ("cmake", &["--version"]),
    ("curl", &["--version"]),
    ("docker", &["--version"]),
    ("g++", &["--version"]),
    ("gcc", &["--version"]),
    ("gh", &["--version"]),
    ("java", &["--version", "-version"]),
    ("javac", &["--version", "-version"]),
    ("jq", &["--version"]),
    ("make", &["--version"]),
    ("node", &["--version", "-v"]),
    ("npm", &["--version", "-v"]),
    ("perl", &["--version", "-v"]),
    ("php", &["--version"]),
    ("pip", &["--version"]),
    ("pip3", &["--version"]),
    ("python", &["--version", "-V"]),
    ("python3", &["--version", "-V"]),
    ("rg", &["--version", "-V"]),
    ("ruby", &["--version"]),
    ("tar", &["--version"]),
    ("uv", &["--version"]),
];

/// Whether a program is only asked for its version.
pub(super) fn shows_version(name: &str, arguments: &[Word]) -> bool {
    let [only] = arguments else { return false };
    let mut listed = VERSIONS.iter().filter(|(known, _)| *known == name);
    only.is_known() && listed.any(|(_, options)| options.contains(&only.value.as_str()))
}

/// Programs that only show something with these options; those that end in `=` take a value behind it, and those in `:`
/// as the next word. What stands behind them are names, unless it says that none may.
struct Showing {
    name: &'static str,
    /// The word that must stand first, if one must.
    command: &'static str,
    options: &'static str,
    takes_names: bool,
}

const fn showing(
    name: &'static str,
    command: &'static str,
    options: &'static str,
    takes_names: bool,
) -> Showing {
    Showing { name, command, options, takes_names }
}

const SHOWING: &[Showing] = &[
    showing(
        "free",
        "",
        "-b -k -m -g -h -t -w -l -v -hw -th -mt --human --mega --giga --kilo --bytes --total --wide --si",
        false,
    ),
    showing(
        "hostname",
        "",
        "-f -s -i -I -A -d -y --fqdn --long --short --ip-address --all-ip-addresses --domain",
        false,
    ),
    showing("locale", "", "-a -m -k -c -v --all-locales --charmaps --keyword-name --category-name", true),
    showing("lscpu", "", "-e -p -J -a -b --all --online --json --extended --parse", false),
    showing("man", "", "-a -f -k -w --where --whatis --apropos --all", true),
    showing("npm", "list", NPM, true),
    showing("npm", "ls", NPM, true),
    showing("pip", "freeze", PIP, false),
    showing("pip", "list", PIP, false),
    showing("pip", "show", PIP, true),
    showing("pip3", "freeze", PIP, false),
    showing("pip3", "list", PIP, false),
    showing("pip3", "show", PIP, true),
    showing(
        "ss",
        "",
        "-t -u -l -p -n -a -e -s -m -i -r -o -4 -6 -x -w -H -O -tlnp -tulpn -tunlp -tuln -tln -tlpn -ltnp -lntp -ltn -lnt \
         -tnp -tan -tn -an -anp -tulnp -nltp -plnt -lptn -ntlp -nlt -ant -antp",
        false,
    ),
];

const NPM: &str = "--depth= --depth: -g --global --json --long --all -a -l -p --parseable --prod --production --omit= --dev";
const PIP: &str = "--format= --format: --user -l --local --not-required -v -q --all -f --files --pre --exclude: --exclude-editable";

/// Variables of which nobody keeps what they hold a secret.
const PUBLIC: &[&str] = &[
    "COLUMNS", "EDITOR", "HOME", "HOSTNAME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LINES", "LOGNAME",
    "OSTYPE", "PAGER", "PATH", "PWD", "SHELL", "SHLVL", "TERM", "TMPDIR", "TZ", "USER", "VISUAL",
];

/// Whether a program only shows something of the system or of a project, as the table says.
pub(super) fn only_shows_facts(name: &str, arguments: &[Word]) -> bool {
    let is_plain = arguments.iter().all(|word| word.is_known() && !word.has_wildcard && !word.is_stream);
    if name == "printenv" {
        return is_plain
            && !arguments.is_empty()
            && arguments.iter().all(|word| PUBLIC.contains(&word.value.as_str()));
    }
    let rows = SHOWING.iter().filter(|row| row.name == name);
    is_plain && rows.into_iter().any(|row| row.only_shows(arguments))
}

impl Showing {
    fn only_shows(&self, arguments: &[Word]) -> bool {
        let arguments = match arguments {
            [first, rest @ ..] if !self.command.is_empty() && first.value == self.command => rest,
            _other if !self.command.is_empty() => return false,
            all => all,
        };
        let mut rest = arguments.iter();
        while let Some(word) = rest.next() {
            let value = word.value.as_str();
            let name = value.split_inclusive('=').next().unwrap_or_default();
            let has = |option: &str| self.options.split_whitespace().any(|listed| listed == option);
            let is_name = self.takes_names && !value.starts_with('-') && !value.contains(['/', '=']);
            if value.starts_with('-') && has(&format!("{value}:")) {
                // Its value is no option.
                if rest.next().is_none_or(|next| next.value.starts_with('-')) {
                    return false;
                }
            } else if !(is_name || (value.starts_with('-') && has(name))) {
                return false;
            }
        }
        true
    }
}

/// Whether `ps` lists processes without what is in their environment.
pub(super) fn is_list_of_processes(arguments: &[Word]) -> bool {
    const WAYS: &[&str] = &["a", "au", "aux", "auxw", "auxww", "ax", "axu", "u", "ux", "x"];
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let value = word.value.as_str();
        let is_plain = match value.strip_prefix('-') {
            Some("o" | "p" | "u" | "U" | "C" | "-sort" | "-pid" | "-ppid") => {
                rest.next().is_some_and(Word::is_known)
            }
            Some(option) if option.starts_with('-') => {
                ["-sort=", "-pid=", "-ppid=", "-no-headers", "-forest"]
                    .iter()
                    .any(|it| option.starts_with(it))
            }
            Some(flags) => !flags.is_empty() && flags.chars().all(|flag| "AefFlTuxaw".contains(flag)),
            None => WAYS.contains(&value) || value.bytes().all(|byte| byte.is_ascii_digit()),
        };
        if !is_plain || word.has_wildcard || !word.is_known() {
            return false;
        }
    }
    true
}

/// Whether a program may run what it reads from its input. What is a message, or goes elsewhere, is none.
pub(crate) fn may_run_input(name: &str, arguments: &[Word]) -> bool {
    const READERS_OF_TEXT: &[&str] =
        &["curl", "gh", "git", "glab", "hg", "http", "jj", "less", "mail", "more", "nc", "wget"];
    let names_script = || {
        let is_file = |word: &Word| {
            word.value.starts_with("-f") || word.value.starts_with("--file") || word.value.starts_with("-E")
        };
        matches!(name, "awk" | "gawk" | "mawk" | "sed") && arguments.iter().any(is_file)
    };
    names_script() || !(super::is_known(name) || READERS_OF_TEXT.contains(&name))
}

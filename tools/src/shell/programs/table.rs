//! The table of programs whose arguments are understood: which options they have, and what their operands are.
//!
//! An option that is not listed makes a call doubtful, so only options that change nothing about the row's meaning
//! belong here: none that writes elsewhere, runs a program, or names a further file.

/// What a program does with its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It prints or tests them; nothing of them is an option.
    Words,
    /// They are text.
    Text,
    /// It reads them. A wildcard among them is doubted, here and wherever contents are read: it may stand for a link
    /// that leads elsewhere, unlike a name that the gate can follow.
    Read,
    /// It reads them, and what is in them where they are folders.
    ReadBelow,
    /// It tells of them, but not what files hold.
    List,
    /// It tells of them, or of the working directory when there are none, but not what files hold.
    ListHere,
    /// The first is a pattern unless an option was one; it reads the others, or its input.
    Match,
    /// The first is a pattern unless an option was one; it reads the others, or the working directory.
    MatchHere,
    /// It creates or changes them.
    Write,
    /// The first is a setting; it changes the others.
    WriteAfterFirst,
    /// It removes them.
    Remove,
    /// It reads all but the last, and creates the last or something in it.
    CopyTo,
    /// It removes all but the last, and creates the last or something in it.
    MoveTo,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Program {
    /// The program's name.
    pub(crate) name: &'static str,
    /// What its operands are.
    pub(crate) role: Role,
    /// Its options of one letter that stand alone.
    pub(crate) flags: &'static str,
    /// Its options of one letter that take a value.
    pub(crate) valued: &'static str,
    /// Its long options, apart from their dashes; `=` marks those with a value, `?` those with a value behind `=` or none.
    pub(crate) long: &'static str,
    /// Whether a file name that a wildcard stands for could be an option that writes or runs something.
    pub(crate) wildcards: Wildcards,
}

/// What an unquoted wildcard may do to a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wildcards {
    /// Whatever option it turns into, nothing is written or run.
    Harmless,
    /// It may turn into an option that writes or runs something.
    Doubtful,
}

use Role::{
    CopyTo, List, ListHere, Match, MatchHere, MoveTo, Read, ReadBelow, Remove, Text, Words, Write,
    WriteAfterFirst,
};
use Wildcards::{Doubtful, Harmless};

const fn row(
    name: &'static str,
    role: Role,
    [flags, valued, long]: [&'static str; 3],
    wildcards: Wildcards,
) -> Program {
    Program { name, role, flags, valued, long, wildcards }
}

const GREP: [&str; 3] = [
    "EFGPivwxcLloqsbHhnTZaIrUy0123456789",
    "emABC",
    "color? colour? include= exclude= exclude-dir= ignore-case invert-match word-regexp line-regexp count line-number \
     files-with-matches files-without-match recursive max-count= context= after-context= before-context= only-matching \
     quiet no-messages with-filename no-filename text null perl-regexp extended-regexp fixed-strings regexp=",
];

const RG: [&str; 3] = [
    "iSswxcloqnNHhvFPUau.0pV",
    "egtTmABCMj",
    "hidden no-ignore no-ignore-vcs type= type-not= glob= iglob= max-count= context= after-context= before-context= \
     count count-matches files-with-matches files-without-match ignore-case smart-case case-sensitive line-number \
     no-line-number no-heading heading only-matching fixed-strings word-regexp invert-match multiline \
     multiline-dotall max-depth= max-columns= color= sort= sortr= stats trim pcre2 text quiet json regexp= \
     with-filename no-filename vimgrep column null no-messages no-follow one-file-system files",
];

const LS: [&str; 3] = [
    "aAbBcCdfFgGhiIklmnNopqQrRsStuUvwxXZ1",
    "",
    "all almost-all color? human-readable recursive reverse size sort= time= time-style= group-directories-first \
     full-time directory classify? inode numeric-uid-gid no-group si",
];

const SUMS: [&str; 3] = ["bt", "", "binary text tag"];

/// The table, by name within each role.
pub(crate) const PROGRAMS: &[Program] = &[
    row(":", Words, ["", "", ""], Harmless),
    row("echo", Words, ["", "", ""], Harmless),
    row("false", Words, ["", "", ""], Harmless),
    row("printf", Words, ["", "", ""], Doubtful),
    row("true", Words, ["", "", ""], Harmless),
    row("arch", Text, ["", "", ""], Harmless),
    row("basename", Text, ["az", "s", "multiple zero suffix="], Harmless),
    row("dirname", Text, ["z", "", "zero"], Harmless),
    row("groups", Text, ["", "", ""], Harmless),
    row("id", Text, ["ugGnrz", "", "user group groups name real zero"], Harmless),
    row("nproc", Text, ["", "", "all"], Harmless),
    row("pwd", Text, ["LP", "", ""], Harmless),
    row("seq", Text, ["w", "fs", "equal-width format= separator="], Harmless),
    row("sleep", Text, ["", "", ""], Harmless),
    row("tr", Text, ["cCdst", "", "complement delete squeeze-repeats"], Harmless),
    row("uname", Text, ["asnrvmpio", "", "all kernel-name machine"], Harmless),
    row("tty", Text, ["s", "", "silent quiet"], Harmless),
    row("uptime", Text, ["ps", "", "pretty since"], Harmless),
    row("which", Text, ["as", "", ""], Harmless),
    row("whoami", Text, ["", "", ""], Harmless),
    row("b2sum", Read, SUMS, Harmless),
    row("base64", Read, ["di", "w", "decode ignore-garbage wrap="], Harmless),
    row("cat", Read, ["AbeEnstTuv", "", "number number-nonblank show-all squeeze-blank"], Harmless),
    row("cksum", Read, ["", "", ""], Harmless),
    row("cmp", Read, ["bls", "n", "print-bytes verbose silent quiet bytes="], Harmless),
    row(
        "column",
        Read,
        ["entx", "cosN", "table separator= output-separator= columns= table-columns= json"],
        Harmless,
    ),
    row("comm", Read, ["123z", "", "check-order nocheck-order"], Harmless),
    row(
        "cut",
        Read,
        ["szn", "bcdf", "delimiter= fields= characters= bytes= only-delimited complement"],
        Harmless,
    ),
    row(
        "diff",
        ReadBelow,
        [
            "abBcdEeiNnpqrsTtuwyZ0123456789",
            "UCWxI",
            "brief unified? context? recursive side-by-side ignore-all-space ignore-space-change ignore-case \
             ignore-blank-lines new-file text color? width= minimal exclude= suppress-common-lines report-identical-files \
             no-dereference",
        ],
        Harmless,
    ),
    row("file", Read, ["bhiLkNnprsSv0E", "", "brief mime mime-type mime-encoding dereference"], Doubtful),
    row("fold", Read, ["bs", "w", "width= spaces bytes"], Harmless),
    row("head", Read, ["qvz0123456789", "nc", "lines= bytes= quiet verbose"], Harmless),
    row(
        "less",
        Read,
        [
            "aBcCdeEfFgGiImMnNqQrRsSuUVwWX",
            "hjxyz",
            "chop-long-lines raw-control-chars no-init quit-if-one-screen",
        ],
        Doubtful,
    ),
    row("md5sum", Read, SUMS, Harmless),
    row("nl", Read, ["p", "bdfhilnsvw", ""], Harmless),
    row("od", Read, ["abcdfilosxv", "AjNtw", "format= address-radix= read-bytes= skip-bytes="], Harmless),
    row("paste", Read, ["sz", "d", "serial delimiters="], Harmless),
    row("readlink", List, ["femnqsvz", "", "canonicalize canonicalize-existing no-newline"], Harmless),
    row(
        "realpath",
        List,
        ["emLPqsz", "", "canonicalize-existing canonicalize-missing strip no-symlinks"],
        Harmless,
    ),
    row("rev", Read, ["", "", ""], Harmless),
    row("sha1sum", Read, SUMS, Harmless),
    row("sha256sum", Read, SUMS, Harmless),
    row(
        "sort",
        Read,
        ["bdfgiMhnRrVcCmsuz", "kt", "numeric-sort reverse unique key= field-separator="],
        Doubtful,
    ),
    row("stat", List, ["Lft", "c", "format= printf= dereference file-system terse"], Harmless),
    row("sha512sum", Read, SUMS, Harmless),
    row("strings", Read, ["af", "net", "all bytes= radix="], Harmless),
    row("tac", Read, ["br", "s", ""], Harmless),
    row("tail", Read, ["fFrqvz0123456789", "nc", "lines= bytes= quiet verbose follow? retry"], Harmless),
    row("wc", Read, ["clmwL", "", "lines words bytes chars max-line-length"], Harmless),
    row("df", ListHere, ["ahHiklPT", "Bt", "human-readable inodes total"], Harmless),
    row(
        "du",
        ListHere,
        ["abchklmPsSx0", "dtB", "all summarize human-readable max-depth= total apparent-size bytes exclude="],
        Harmless,
    ),
    row("ls", ListHere, LS, Harmless),
    row("tree", ListHere, ["adfipsughDrtcUnCANSFJX", "LPI", "dirsfirst noreport gitignore prune"], Doubtful),
    row("egrep", Match, GREP, Harmless),
    row("fgrep", Match, GREP, Harmless),
    row("grep", Match, GREP, Harmless),
    row("rg", MatchHere, RG, Doubtful),
    row("mkdir", Write, ["pv", "m", "parents verbose mode="], Doubtful),
    row("tee", Write, ["aip", "", "append ignore-interrupts"], Doubtful),
    row("touch", Write, ["acmh", "dt", "date= no-create time="], Doubtful),
    row("truncate", Write, ["co", "s", "size= no-create"], Doubtful),
    row("chgrp", WriteAfterFirst, ["chRvf", "", "recursive"], Doubtful),
    row("chmod", WriteAfterFirst, ["cRvf", "", "recursive changes verbose quiet silent"], Doubtful),
    row("chown", WriteAfterFirst, ["chRvf", "", "recursive"], Doubtful),
    row(
        "rm",
        Remove,
        [
            "dfirRvI",
            "",
            "recursive force verbose dir one-file-system preserve-root no-preserve-root interactive?",
        ],
        Doubtful,
    ),
    row("rmdir", Remove, ["v", "", "verbose ignore-fail-on-non-empty"], Doubtful),
    row("shred", Remove, ["fuvxz", "ns", "force remove? verbose zero iterations="], Doubtful),
    row("unlink", Remove, ["", "", ""], Doubtful),
    row("cp", CopyTo, ["RTafinpruv", "", "archive recursive force verbose no-clobber update?"], Doubtful),
    row("install", CopyTo, ["CDbcpsv", "gmo", "mode= owner= group= verbose"], Doubtful),
    row("ln", CopyTo, ["TfnsvrLP", "", "symbolic force verbose no-dereference relative"], Doubtful),
    row("mv", MoveTo, ["Tfinuv", "", "force verbose no-clobber update?"], Doubtful),
];

/// The row of a program.
pub(crate) fn program(name: &str) -> Option<&'static Program> {
    PROGRAMS.iter().find(|row| row.name == name)
}

impl Role {
    /// Whether a program of this role changes nothing.
    pub(crate) fn is_read_only(self) -> bool {
        match self {
            Words | Text | Read | ReadBelow | List | ListHere | Match | MatchHere => true,
            Write | WriteAfterFirst | Remove | CopyTo | MoveTo => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_program_has_two_rows() {
        let mut names: Vec<&str> = PROGRAMS.iter().map(|row| row.name).collect();
        names.sort_unstable();
        let before = names.len();
        names.dedup();
        assert_eq!(names.len(), before);
    }

    #[test]
    fn an_option_is_a_flag_or_takes_a_value() {
        for row in PROGRAMS {
            let both = row.flags.chars().find(|flag| row.valued.contains(*flag));
            assert_eq!(both, None, "{}", row.name);
        }
    }
}

//! The table of programs that write files they are told to: by options, or as operands.
//!
//! What a program writes of its own accord, such as what a build makes in its own folder, is not told.

/// Which operands a program writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// None.
    Nothing,
    /// The first.
    First,
    /// The second, if there is one.
    Second,
    /// The last of at least two.
    Last,
    /// All, and in those that are folders the files whose names look like this.
    All(&'static str),
}

/// One row of the table.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) names: &'static [&'static str],
    /// Options of one letter that take a value.
    pub(super) valued: &'static str,
    /// Options with a file that is written.
    pub(super) files: &'static [&'static str],
    /// Options with a folder below which anything is written.
    pub(super) folders: &'static [&'static str],
    pub(super) place: Place,
    /// Words of which one must be there for operands to be written; none is needed where there are none.
    pub(super) with: &'static [&'static str],
    /// Words with which operands are not written.
    pub(super) without: &'static [&'static str],
}

use Place::{All, First, Last, Nothing, Second};

/// A row for options alone.
const fn by_option(
    names: &'static [&'static str],
    valued: &'static str,
    files: &'static [&'static str],
    folders: &'static [&'static str],
) -> Output {
    Output { names, valued, files, folders, place: Nothing, with: &[], without: &[] }
}

/// A row for operands.
const fn by_place(
    names: &'static [&'static str],
    place: Place,
    valued: &'static str,
    with: &'static [&'static str],
    without: &'static [&'static str],
) -> Output {
    Output { names, valued, files: &[], folders: &[], place, with, without }
}

const CHECKS: &[&str] = &["--check", "--diff", "--dry-run", "--list-different", "-c", "-l", "--stdin"];

/// The rows, by what they are for.
pub(super) const OUTPUTS: &[Output] = &[
    // Programs that fetch.
    by_option(
        &["curl"],
        "AbCcdDeEFHhKmoPQrtTuUwxXyYz",
        &[
            "-o",
            "--output",
            "-D",
            "--dump-header",
            "-c",
            "--cookie-jar",
            "--trace",
            "--trace-ascii",
            "--stderr",
            "--hsts",
            "--alt-svc",
            "--etag-save",
            "--libcurl",
        ],
        &[],
    ),
    by_option(
        &["wget"],
        "aABeDGhilnoOPQRtTUwX",
        &[
            "-O",
            "--output-document",
            "-o",
            "--output-file",
            "-a",
            "--append-output",
            "--save-cookies",
            "--rejected-log",
            "--warc-file",
        ],
        &[],
    ),
    by_option(&["http", "https", "xh"], "o", &["-o", "--output"], &[]),
    by_option(&["aria2c"], "odil", &["-o", "--out", "-l", "--log"], &["-d", "--dir"]),
    by_option(&["yt-dlp", "youtube-dl"], "oPf", &["-o", "--output"], &["-P", "--paths"]),
    by_option(&["gh"], "ODR", &["-O", "--output"], &["-D", "--dir"]),
    by_option(&["pip", "pip3"], "dtwr", &["--log", "--report"], &["-d", "--dest", "-t", "--target", "-w"]),
    by_option(&["docker", "podman"], "o", &["-o", "--output", "--cidfile", "--iidfile"], &[]),
    // Compilers and what belongs to them.
    by_option(
        &[
            "c++", "cc", "clang", "clang++", "g++", "gcc", "gfortran", "ld", "nasm", "as", "rustc", "tcc",
            "yasm", "gnatmake",
        ],
        "oxIDLlUTu",
        &["-o", "--output", "-MF"],
        &["--out-dir"],
    ),
    by_option(&["go"], "", &["-o", "-coverprofile", "-cpuprofile", "-memprofile", "-trace"], &["-outputdir"]),
    by_option(&["cargo"], "", &[], &["--target-dir", "--artifact-dir", "--out-dir"]),
    by_option(&["cmake"], "BSGD", &[], &["-B", "--prefix"]),
    by_option(&["javac", "kotlinc", "scalac"], "", &[], &["-d"]),
    by_option(&["tsc"], "p", &["--outFile"], &["--outDir", "--declarationDir"]),
    by_option(
        &["esbuild", "rollup", "webpack", "terser", "uglifyjs"],
        "o",
        &["-o", "--outfile", "--file"],
        &["--outdir", "--dir", "-d"],
    ),
    by_place(&["ar"], Second, "", &[], &["t", "p", "x", "tv"]),
    Output { files: &["-o"], ..by_place(&["strip"], All("*.o"), "oRKN", &[], &["-o"]) },
    by_place(&["objcopy"], Last, "OIRjKN", &[], &[]),
    by_option(&["bison", "flex", "msgfmt", "xgettext", "lex", "yacc"], "od", &["-o", "--output"], &[]),
    // Programs that put files in order, in place.
    by_place(&["rustfmt"], All("*.rs"), "", &[], CHECKS),
    by_place(&["black", "isort", "pyupgrade"], All("*.py"), "lCtWk", &[], CHECKS),
    by_place(&["ruff"], All("*.py"), "", &["format", "--fix", "--fix-only", "--unsafe-fixes"], CHECKS),
    by_place(&["autopep8", "yapf", "autoflake"], All("*.py"), "", &["-i", "--in-place"], CHECKS),
    by_place(
        &["prettier", "biome", "dprint"],
        All("*.ts"),
        "",
        &["-w", "--write", "--fix", "--apply", "fmt"],
        &[],
    ),
    Output {
        files: &["-o", "--output-file"],
        ..by_place(
            &["eslint", "oxlint", "standard", "stylelint", "tslint"],
            All("*.ts"),
            "ocf",
            &["--fix"],
            &[],
        )
    },
    by_place(&["gofmt", "goimports", "gofumpt", "shfmt", "buf"], All("*.go"), "", &["-w"], &[]),
    by_place(&["clang-format", "ocamlformat"], All("*.c"), "", &["-i", "--inplace"], &[]),
    by_place(&["rubocop", "standardrb"], All("*.rb"), "", &["-a", "-A", "--autocorrect", "--fix", "-x"], &[]),
    by_place(&["dos2unix", "unix2dos", "stylua", "nixfmt", "swiftformat"], All("*.swift"), "", &[], CHECKS),
    by_place(&["yq"], All("*.txt"), "", &["-i", "--inplace", "--in-place"], &[]),
    by_place(&["mkfifo", "mktemp", "mogrify", "prename", "rename"], All("*.txt"), "", &[], &[]),
    // Archives.
    by_place(&["mknod"], First, "mZ", &[], &[]),
    by_place(&["chattr", "chcon", "setfacl", "setfattr"], All("*"), "lmMnprtuvxX", &[], &[]),
    by_place(&["zip"], First, "bntixP", &[], &["-sf", "-T"]),
    by_place(&["7z", "7za", "7zr", "7zz", "rar"], Second, "", &["a", "u", "d", "rn"], &[]),
    // Pictures, sound and documents.
    by_place(&["convert", "gm", "magick", "avconv", "ffmpeg", "sox", "wkhtmltopdf"], Last, "", &[], &[]),
    by_place(&["lessc", "pdftotext", "ps2pdf", "sass", "xxd"], Second, "cglos", &[], &[]),
    by_option(
        &[
            "cwebp",
            "dot",
            "inkscape",
            "neato",
            "pandoc",
            "rsvg-convert",
            "gpg",
            "gpg2",
            "age",
            "iconv",
            "shuf",
        ],
        "oftrnT",
        &["-o", "--output", "--export-filename"],
        &[],
    ),
    by_option(&["xmllint", "xsltproc", "protoc", "patch"], "o", &["-o", "--output"], &[]),
    // Keys, databases, packets.
    by_option(&["openssl"], "", &["-out", "-keyout", "-writerand", "-sigout"], &[]),
    by_option(&["ssh-keygen"], "fbtCNP", &["-f"], &[]),
    by_place(&["sqlite3"], First, "", &[], &["-readonly", "--readonly"]),
    by_option(
        &["pg_dump", "pg_dumpall", "mysqldump"],
        "fhpUdr",
        &["-f", "--file", "-r", "--result-file"],
        &[],
    ),
    by_option(&["tcpdump", "tshark", "dumpcap"], "wicr", &["-w"], &[]),
    by_option(&["nmap"], "", &["-oN", "-oX", "-oG", "-oA"], &[]),
    by_option(&["py.test", "pytest"], "ckmnop", &["--junitxml", "--junit-xml", "--html"], &[]),
    by_place(&["sponge"], First, "", &[], &[]),
];

/// The row of a program.
pub(super) fn output(name: &str) -> Option<&'static Output> {
    OUTPUTS.iter().find(|row| row.names.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_program_has_two_rows() {
        let mut names: Vec<&str> = OUTPUTS.iter().flat_map(|row| row.names).copied().collect();
        names.sort_unstable();
        let before = names.len();
        names.dedup();
        assert_eq!(names.len(), before);
    }
}

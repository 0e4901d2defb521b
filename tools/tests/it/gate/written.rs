//! What programs write besides their output: an allow of the program is none for the file, a rule that closes the file
//! holds, and no mode lifts what is guarded.

use toolwright::permission::{Mode, Profile};

use super::answer;

/// Commands that write a file, for which `@` stands.
const WRITERS: &[&str] = &[
    "curl -o @ http://x/",
    "curl -so@ http://x/",
    "curl -sSLo @ http://x/",
    "curl --output @ http://x/",
    "curl --output=@ http://x/",
    "curl -D @ http://x/",
    "curl -c @ http://x/",
    "curl --trace @ http://x/",
    "curl -O http://x/@",
    "curl -LO 'http://x/@?y'",
    "curl --output-dir . -O http://x/@",
    "wget http://x/@",
    "wget -O @ http://x/",
    "wget -qO@ http://x/",
    "wget -o @ http://x/",
    "wget -P . http://x/@",
    "wget --save-cookies=@ http://x/",
    "dd if=x of=@",
    "git mv x @",
    "git checkout -- @",
    "git checkout HEAD~1 -- x @",
    "git restore @",
    "git restore -s HEAD~1 @",
    "git restore --staged --worktree @",
    "git rm @",
    "git rm -f @",
    "git clean -fd",
    "git apply x.patch",
    "git bundle create @ HEAD",
    "git archive -o @ HEAD",
    "perl -pi -e s/a/b/ @",
    "perl -i.bak -pe s/a/b/ @",
    "perl -p -i -e s/a/b/ x @",
    "ruby -pi -e 'gsub(1, 2)' @",
    "gawk -i inplace '{print}' @",
    "awk -v f=@ '{print > f}' x",
    "npx prettier --write @",
    "pnpm exec eslint --fix @",
    "uv run black @",
    "python3 -m black @",
    "git restore :/",
    "gawk --include=inplace '{print}' @",
    "awk '{print > \"@\"}' x",
    "awk '{print $1 >> \"@\"}' x",
    "gzip @",
    "gzip -9 @",
    "bzip2 @",
    "xz -k -f x; xz @",
    "gunzip @.gz",
    "gzip -d @.gz",
    "zstd --rm @",
    "zstd -o @ x",
    "unxz @.xz",
    "split x @",
    "split -l 10 x @",
    "csplit -f @ x 10",
    "tar cf @ x",
    "tar czf @ x",
    "tar -cf @ x",
    "tar --create --file=@ x",
    "tar -rf @ x",
    "zip -r @ x",
    "7z a @ x",
    "gcc -o @ x.c",
    "gcc x.c -o@",
    "rustc -o @ x.rs",
    "go build -o @",
    "ar rcs @ x.o",
    "strip @",
    "rustfmt @",
    "prettier --write @",
    "black @",
    "gofmt -w @",
    "eslint --fix @",
    "ruff format @",
    "ruff check --fix @",
    "clang-format -i @",
    "black .",
    "prettier --write src",
    "cargo fmt",
    "cargo clippy --fix",
    "sort -o @ x",
    "sort x -o@",
    "sort --output=@ x",
    "openssl genrsa -out @ 2048",
    "openssl req -x509 -keyout @ -out y",
    "convert x.png @",
    "magick x.png -resize 10 @",
    "ffmpeg -i x.mp4 -y @",
    "sqlite3 @ 'create table x (y)'",
    "pandoc x.md -o @",
    "iconv -f a -t b -o @ x",
    "xxd -r x @",
    "patch @ x.patch",
    "ssh-keygen -f @ -N ''",
    "tee @ < x",
    "echo @ | xargs touch",
    "grep -l x y @ | xargs sed -i s/a/b/",
    "grep -rl x . | xargs sed -i s/a/b/",
    "rg -l x | xargs sed -i s/a/b/",
    "git ls-files | xargs sed -i s/a/b/",
    "GIT_TRACE=/nowhere/w/@ git log",
];

#[test]
fn a_rule_that_closes_a_file_stops_whatever_writes_it() {
    let mut wrong = Vec::new();
    for writer in WRITERS {
        let command = writer.replace('@', "kept");
        for profile in [Profile::V2_1_88, Profile::Current] {
            let (given, reason) = answer(&["+Bash", "-Edit(kept)"], &command, Mode::Default, profile, true);
            if given == "allow" {
                wrong.push(format!("{command:?} {profile:?}: {given}: {reason}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_allow_of_the_program_is_none_for_the_file() {
    let mut wrong = Vec::new();
    for writer in WRITERS {
        let command = writer.replace('@', "kept");
        let rules = &["+Bash(* *)", "-Bash(nothing)"];
        let (given, reason) = answer(rules, &command, Mode::Default, Profile::Current, true);
        if given == "allow" && !command.starts_with("cargo") {
            wrong.push(format!("{command:?}: {given}: {reason}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_mode_lifts_what_is_guarded_whatever_writes_it() {
    let mut wrong = Vec::new();
    for writer in WRITERS.iter().filter(|writer| writer.contains('@')) {
        let command = writer.replace('@', ".bashrc");
        let (given, reason) = answer(&["+Bash"], &command, Mode::BypassPermissions, Profile::Current, false);
        if given != "deny" {
            wrong.push(format!("{command:?}: {given}: {reason}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_only_shows_is_not_taken_for_a_change() {
    let mut wrong = Vec::new();
    for command in [
        "curl http://x/kept",
        "curl -o /dev/null http://x/",
        "curl -H 'a: b' -X POST http://x/",
        "wget -qO- http://x/kept",
        "wget --spider http://x/kept",
        "gzip -c kept",
        "gzip -t kept",
        "zcat kept",
        "tar tf kept",
        "gofmt -l kept",
        "prettier --check kept",
        "eslint kept",
        "rustfmt --check kept",
        "black --check kept",
        "cargo fmt --check",
        "gcc -o other kept",
        "git restore --staged kept",
        "git rm --cached kept",
        "git apply --check kept",
        "git checkout -b new",
        "git clean -n",
        "perl -ne print kept",
        "convert kept other",
        "sqlite3 -readonly kept 'select 1'",
        "awk '$1 > 5' kept",
        "docker run --rm x gcc -o kept y.c",
    ] {
        let (given, reason) =
            answer(&["+Bash", "-Edit(kept)"], command, Mode::Default, Profile::Current, true);
        if given != "allow" {
            wrong.push(format!("{command:?}: {given}: {reason}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn everyday_writes_are_not_stopped_where_nothing_asks() {
    let mut wrong = Vec::new();
    for command in [
        "curl -O http://x/a.tgz",
        "wget http://x/a.tgz",
        "git checkout -- .",
        "git checkout .",
        "git restore .",
        "git restore src",
        "git clean -fd",
        "git mv a b",
        "git rm a",
        "git stash pop",
        "perl -pi -e s/a/b/ src/*.rs",
        "gzip a",
        "black .",
        "prettier --write .",
        "cargo fmt",
        "gofmt -w .",
        "eslint --fix .",
        "gcc -o out/a a.c",
        "split -l 10 a",
        "tar czf a.tgz src",
        "zip -r a.zip .",
        "docker build .",
        "python3 -m http.server",
        "sort -o a a",
    ] {
        let (given, reason) = answer(&[], command, Mode::BypassPermissions, Profile::Current, false);
        if given != "allow" {
            wrong.push(format!("{command:?}: {given}: {reason}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_takes_up_whole_folders_asks_where_a_file_in_them_is_closed() {
    let mut wrong = Vec::new();
    for command in [
        "docker build .",
        "docker build -t x .",
        "podman build .",
        "docker buildx build --push .",
        "docker compose up --build",
        "python3 -m http.server",
        "python3 -m http.server 8000 -d .",
        "php -S localhost:1",
        "git archive HEAD",
        "zip -r x .",
        "zip -qr x.zip .",
        "tar cf - .",
        "7z a x .",
        "npm publish",
        "npm pack",
        "cargo package",
        "aws s3 sync . s3://x",
        "rclone copy . x:",
        "vercel deploy",
        "mksquashfs . /tmp/x",
        "cp -r . /tmp/x",
        "rsync -a . h:",
        "scp -r . h:",
    ] {
        let (given, reason) =
            answer(&["+Bash", "-Read(.env)"], command, Mode::Default, Profile::Current, true);
        if given != "ask" {
            wrong.push(format!("{command:?}: {given}: {reason}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

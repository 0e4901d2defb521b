//! The tables of variables that programs heed: those with a command that they run, a file that they write or read, a
//! folder that they work in, or options that count as if they were typed.

/// Variables with a command that some program runs, as a shell reads it.
pub(super) const RUN: &[&str] = &[
    "AR",
    "AS",
    "AWS_PAGER",
    "BAT_PAGER",
    "BROWSER",
    "CARGO_BUILD_RUSTC",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "CARGO_BUILD_RUSTDOC",
    "CC",
    "CONFIG_SHELL",
    "CPP",
    "CVS_RSH",
    "CXX",
    "DELTA_PAGER",
    "EDITOR",
    "FC",
    "FCEDIT",
    "FZF_DEFAULT_COMMAND",
    "GH_BROWSER",
    "GH_EDITOR",
    "GH_PAGER",
    "GIT_ASKPASS",
    "GIT_EDITOR",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_PROXY_COMMAND",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "HGEDITOR",
    "KUBECTL_EXTERNAL_DIFF",
    "KUBE_EDITOR",
    "LD",
    "LESSCLOSE",
    "LESSEDIT",
    "LESSOPEN",
    "LEX",
    "MANPAGER",
    "NPM_CONFIG_SCRIPT_SHELL",
    "PAGER",
    "PERLDOC_PAGER",
    "PSQL_EDITOR",
    "PSQL_PAGER",
    "RSYNC_CONNECT_PROG",
    "RSYNC_RSH",
    "RUSTC",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "RUSTDOC",
    "RUSTFMT",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "SUDO_EDITOR",
    "SVN_EDITOR",
    "SVN_SSH",
    "SYSTEMD_EDITOR",
    "SYSTEMD_PAGER",
    "TAPE_RSH",
    "VISUAL",
    "YACC",
    "npm_config_script_shell",
];

/// The beginnings and ends of the names of more of these.
pub(super) const RUN_LIKE: &[(&str, &str)] =
    &[("CARGO_TARGET_", "_LINKER"), ("CARGO_TARGET_", "_RUNNER"), ("GIT_SSH_", "_COMMAND")];

/// Variables with a file that some program writes.
pub(super) const WRITTEN: &[&str] = &[
    "COVERAGE_FILE",
    "GIT_INDEX_FILE",
    "HISTFILE",
    "LD_DEBUG_OUTPUT",
    "LESSHISTFILE",
    "LLVM_PROFILE_FILE",
    "MALLOC_TRACE",
    "MYSQL_HISTFILE",
    "NODE_REDIRECT_WARNINGS",
    "NODE_REPL_HISTORY",
    "PSQL_HISTORY",
    "PYTHON_HISTORY",
    "SQLITE_HISTORY",
    "SSLKEYLOGFILE",
];
/// The beginning of the names of variables that make git write what it does to a file, where their value is a path.
pub(super) const TRACES: &str = "GIT_TRACE";

/// Variables with a folder that programs read and write in, where they would take another without them.
pub(super) const FOLDERS: &[&str] = &[
    "BUNDLE_PATH",
    "CARGO_HOME",
    "CARGO_INSTALL_ROOT",
    "CARGO_TARGET_DIR",
    "CCACHE_DIR",
    "CLAUDE_CONFIG_DIR",
    "DESTDIR",
    "DOCKER_CONFIG",
    "GCOV_PREFIX",
    "GEM_HOME",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_WORK_TREE",
    "GNUPGHOME",
    "GOBIN",
    "GOCACHE",
    "GOMODCACHE",
    "GOPATH",
    "HOME",
    "NODE_V8_COVERAGE",
    "NPM_CONFIG_CACHE",
    "NPM_CONFIG_PREFIX",
    "PIP_CACHE_DIR",
    "PIP_PREFIX",
    "PIP_TARGET",
    "PYTHONPYCACHEPREFIX",
    "PYTHONUSERBASE",
    "RUSTUP_HOME",
    "TMPDIR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "YARN_CACHE_FOLDER",
    "npm_config_cache",
    "npm_config_prefix",
];

/// Variables that lead git to the settings of a repository, which may name programs.
pub(super) const REPOSITORIES: &[&str] = &["GIT_COMMON_DIR", "GIT_DIR"];

/// Variables that lead git to other objects, names or folders, and open nothing by themselves.
const OTHER_OBJECTS: &[&str] =
    &["GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CEILING_DIRECTORIES", "GIT_NAMESPACE", "GIT_PREFIX"];

/// Variables with a file of code or settings that some program loads.
pub(super) const LOADED: &[&str] = &[
    "CLASSPATH",
    "CURL_HOME",
    "DYLD_INSERT_LIBRARIES",
    "INPUTRC",
    "KUBECONFIG",
    "LD_AUDIT",
    "LD_PRELOAD",
    "LUA_INIT",
    "MYVIMRC",
    "NETRC",
    "NPM_CONFIG_GLOBALCONFIG",
    "NPM_CONFIG_USERCONFIG",
    "PIP_CONFIG_FILE",
    "PYTHONSTARTUP",
    "RIPGREP_CONFIG_PATH",
    "WGETRC",
    "npm_config_globalconfig",
    "npm_config_userconfig",
];

/// Variables with options, and the programs that take them as if they stood behind their names.
pub(super) const OPTIONS: &[(&str, &[&str])] = &[
    ("BAT_OPTS", &["bat", "batcat"]),
    ("BZIP2", &["bunzip2", "bzip2"]),
    ("EXINIT", EDITORS),
    ("FZF_DEFAULT_OPTS", &["fzf"]),
    ("GNUMAKEFLAGS", &["gmake", "make"]),
    ("GREP_OPTIONS", &["egrep", "fgrep", "grep"]),
    ("GZIP", &["gunzip", "gzip"]),
    ("JAVA_TOOL_OPTIONS", JAVA),
    ("JDK_JAVA_OPTIONS", JAVA),
    ("LESS", &["less", "man"]),
    ("MAKEFLAGS", &["gmake", "make"]),
    ("MAVEN_ARGS", &["mvn", "mvnw"]),
    ("MAVEN_OPTS", &["mvn", "mvnw"]),
    ("MFLAGS", &["gmake", "make"]),
    ("NODE_OPTIONS", &["node", "nodejs", "npm", "npx", "pnpm", "ts-node", "tsx", "yarn"]),
    ("PERL5OPT", &["perl", "prove"]),
    ("PYTEST_ADDOPTS", &["py.test", "pytest"]),
    ("RUBYOPT", &["bundle", "irb", "rake", "ruby"]),
    ("TAR_OPTIONS", &["bsdtar", "gtar", "tar"]),
    ("UNZIP", &["unzip"]),
    ("VIMINIT", EDITORS),
    ("XZ_DEFAULTS", &["unxz", "xz"]),
    ("XZ_OPT", &["unxz", "xz"]),
    ("ZIPOPT", &["zip"]),
    ("_JAVA_OPTIONS", JAVA),
];

const EDITORS: &[&str] = &["ex", "nvim", "vi", "view", "vim", "vimdiff"];
const JAVA: &[&str] = &["gradle", "java", "javac", "mvn", "sbt"];

/// Variables whose value is what a person could type in an editor, and no list of options.
pub(super) const TYPED: &[&str] = &["EXINIT", "VIMINIT"];

/// Whether a variable has a command that some program runs.
pub(super) fn is_run(name: &str) -> bool {
    RUN.contains(&name) || RUN_LIKE.iter().any(|(begin, end)| name.starts_with(begin) && name.ends_with(end))
}

/// Whether a variable makes git work elsewhere than where it is started, write what it does, or run other programs.
pub(crate) fn steers_git(name: &str) -> bool {
    let is_listed = || [WRITTEN, FOLDERS, OTHER_OBJECTS].iter().any(|list| list.contains(&name));
    name.starts_with("GIT_") && (is_run(name) || name.starts_with(TRACES) || is_listed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_is_steered_by_what_leads_it_elsewhere_and_not_by_its_settings() {
        for name in
            ["GIT_DIR", "GIT_INDEX_FILE", "GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "GIT_TRACE2", "GIT_PREFIX"]
        {
            assert!(steers_git(name), "{name}");
        }
        for name in ["GIT_CONFIG_COUNT", "GIT_CONFIG_GLOBAL", "GIT_AUTHOR_NAME", "PAGER", "HOME"] {
            assert!(!steers_git(name), "{name}");
        }
    }

    #[test]
    fn each_list_is_in_order_and_has_no_name_twice() {
        let options: Vec<&str> = OPTIONS.iter().map(|(name, _)| *name).collect();
        for list in [RUN, WRITTEN, FOLDERS, OTHER_OBJECTS, REPOSITORIES, LOADED, TYPED, &options] {
            let mut sorted = list.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted, list);
        }
    }
}

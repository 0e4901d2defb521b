//! What the kernel refuses to a thread and all it starts, whatever the disk says.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    apply_filter,
};

/// Which sockets may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sockets {
    /// None.
    None,
    /// Those of the internet, and none by which programs of this machine can be talked to.
    Internet,
}

/// The kinds of sockets of the internet, and that by which a program asks for its own addresses.
const INTERNET: &[libc::c_int] = &[libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];

/// What no program needs that builds or tests: it would reach past the disk's and the network's limits, or change the
/// machine.
const REFUSED: &[libc::c_long] = &[
    libc::SYS_add_key,
    libc::SYS_bpf,
    libc::SYS_delete_module,
    libc::SYS_finit_module,
    libc::SYS_init_module,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_open_by_handle_at,
    libc::SYS_perf_event_open,
    libc::SYS_process_vm_writev,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_swapoff,
    libc::SYS_swapon,
];

/// Orders to a terminal that type for the person.
const TYPING: &[u64] = &[0x5412, 0x541C];

/// Calls of the 64-bit processor with short pointers have numbers of their own, with this bit.
#[cfg(target_arch = "x86_64")]
const SHORT_POINTERS: Option<i64> = Some(0x4000_0000);
#[cfg(not(target_arch = "x86_64"))]
const SHORT_POINTERS: Option<i64> = None;

/// Refuses to this thread, and all it starts, what a confined command has no use for.
///
/// # Errors
/// Why it cannot be said to the kernel.
pub(super) fn refuse(sockets: Sockets) -> Result<(), String> {
    let program = program(sockets).map_err(|error| format!("seccomp: {error}"))?;
    apply_filter(&program).map_err(|error| format!("seccomp: {error}"))
}

fn program(sockets: Sockets) -> Result<BpfProgram, seccompiler::BackendError> {
    let argument = |index: u8, operator: SeccompCmpOp, value: u64| {
        SeccompCondition::new(index, SeccompCmpArgLen::Dword, operator, value)
    };
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    let other_kinds: Vec<SeccompRule> = match sockets {
        Sockets::None => Vec::new(),
        Sockets::Internet => {
            let not = |kind: &libc::c_int| argument(0, SeccompCmpOp::Ne, u64::from(kind.unsigned_abs()));
            vec![SeccompRule::new(INTERNET.iter().map(not).collect::<Result<_, _>>()?)?]
        }
    };
    rules.insert(libc::SYS_socket, other_kinds);
    let typing = |order: &u64| SeccompRule::new(vec![argument(1, SeccompCmpOp::Eq, *order)?]);
    rules.insert(libc::SYS_ioctl, TYPING.iter().map(typing).collect::<Result<_, _>>()?);
    if let Some(bit) = SHORT_POINTERS {
        let also: Vec<_> = rules.iter().map(|(call, rules)| (call | bit, rules.clone())).collect();
        rules.extend(also);
    }
    let refused = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let filter =
        SeccompFilter::new(rules, SeccompAction::Allow, refused, std::env::consts::ARCH.try_into()?)?;
    filter.try_into()
}

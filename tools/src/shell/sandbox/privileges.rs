//! What a confined program that runs as the superuser may still do.

use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};

/// Privileges over files that belong to others, and over its own processes. Whatever could undo a sandbox, look into
/// other programs or change the machine is not among them.
pub(super) const KEPT: &[(&str, CapabilitySet)] = &[
    ("CAP_CHOWN", CapabilitySet::CHOWN),
    ("CAP_DAC_OVERRIDE", CapabilitySet::DAC_OVERRIDE),
    ("CAP_FOWNER", CapabilitySet::FOWNER),
    ("CAP_FSETID", CapabilitySet::FSETID),
    ("CAP_KILL", CapabilitySet::KILL),
    ("CAP_SETGID", CapabilitySet::SETGID),
    ("CAP_SETUID", CapabilitySet::SETUID),
];

/// Takes every other privilege from this thread and all it starts, which must not be able to gain any.
///
/// # Errors
/// Why the kernel does not take them.
pub(super) fn give_up() -> Result<(), String> {
    let kept = KEPT.iter().fold(CapabilitySet::empty(), |kept, (_, one)| kept | *one);
    let give_up = || {
        let now = capabilities(None)?;
        set_capabilities(
            None,
            CapabilitySets {
                effective: now.effective & kept,
                permitted: now.permitted & kept,
                inheritable: CapabilitySet::empty(),
            },
        )
    };
    give_up().map_err(|error| format!("privileges: {error}"))
}

//! How far a long command is: on standard error, where somebody watches it, and nowhere else.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::output::is_watched;

/// A bar of so many steps.
pub(super) fn progress(steps: u64, noun: &str) -> ProgressBar {
    let target = if is_watched() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let style = format!("{{wide_bar}} {{human_pos}} of {{human_len}} {noun}, {{per_sec:.0}}, {{eta}} left");
    let style = ProgressStyle::with_template(&style).expect("the template is constant");
    ProgressBar::with_draw_target(Some(steps), target).with_style(style)
}

//! Skills: texts that are put before the model when they are wanted.
//!
//! A skill is inline, a note in the conversation, or a fork, done by an agent. The commands in its text run through the
//! whole pipeline as calls of Bash: one that is not allowed stays text, and says so.

mod arguments;
pub(crate) mod commands;
mod definition;
mod found;
mod run;
mod skill;

pub use self::arguments::Fill;
pub use self::definition::Skill;
pub use self::found::{SkillFolder, SkillFolderKind, Skills, SkillsFound, find_skills};
pub use self::skill::{SkillOutput, SkillState, UseSkill};

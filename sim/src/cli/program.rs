//! The program that runs: what it is called, and the tools that it was given.

use std::path::Path;

use toolwright::registry::Catalogue;
use toolwright_tools::tasks::{Late, Tasks};

use super::output::Fault;

/// What this project's own program is called.
const OWN_NAME: &str = "toolwright";

/// Where a tool may be that is not in the program's list.
pub(super) const ELSEWHERE: &str = "a program of one's own knows one's own tools (`toolwright_sim::cli::main_with`), and \
                                    those of a server are known while it runs";

/// What the program is called by whoever started it, for texts that name a command.
pub(super) fn name() -> String {
    let started = std::env::args_os().next();
    let name = started.as_ref().and_then(|path| Path::new(path).file_stem());
    name.and_then(|name| name.to_str()).filter(|name| !name.is_empty()).unwrap_or(OWN_NAME).to_owned()
}

/// Whether it is this project's own program, by its name.
pub(super) fn is_own() -> bool {
    name() == OWN_NAME
}

/// The tools of the program, and the tasks in the background that the built-in ones of them share.
pub(super) struct Tools {
    catalogue: Catalogue,
    pub(super) tasks: Tasks,
}

impl Tools {
    /// What the program makes of the built-in tools, where a command that is late is treated so.
    pub(super) fn new(late: Late, make: impl FnOnce(Catalogue) -> Catalogue) -> Result<Tools, Fault> {
        if tokio::runtime::Handle::try_current().is_ok() {
            let message =
                "the program starts an executor of its own: call `main_with` from a `main` that is not async";
            return Err(Fault::new(message));
        }
        let tasks = Tasks::builder().late(late).build();
        let catalogue = make(toolwright_tools::catalogue_with(&tasks));
        each_name_once(&catalogue)?;
        Ok(Tools { catalogue, tasks })
    }

    /// The list of them. What is added to it is added for one session.
    pub(super) fn catalogue(&self) -> Catalogue {
        self.catalogue.clone()
    }
}

/// Refuses a list in which a tool could never be called, since another has its name.
pub(super) fn each_name_once(catalogue: &Catalogue) -> Result<(), Fault> {
    let Some(name) = catalogue.taken_twice() else { return Ok(()) };
    Err(Fault::new(format!(
        "two tools are called `{name}`, and only the first would ever be called: give one of them another name, or leave one out"
    )))
}

#[cfg(test)]
mod tests {
    use toolwright::contract::ToolForm as _;
    use toolwright::registry::Layer;
    use toolwright_tools::ToolSearch;

    use super::*;

    /// What is said of a list in which the tool that finds others is twice, under these layers.
    fn said(layers: [Layer; 2]) -> Option<String> {
        let made = Tools::new(Late::default(), |_built_in| {
            let mut tools = Catalogue::new();
            for layer in layers {
                tools.layer(layer, |tools| {
                    tools.add::<ToolSearch>();
                });
            }
            tools
        });
        made.err().map(|fault| match fault {
            Fault::Message(message) => message,
            Fault::ClosedPipe => panic!("nothing was written"),
        })
    }

    #[test]
    fn two_tools_of_one_name_are_refused_unless_one_gives_way_to_the_other() {
        let (on, off) = (|| Layer::when_any(["new"]), || Layer::unless(["new"]));
        let twice = said([Layer::default(), Layer::default()]).expect("it is refused");
        assert!(twice.contains(&format!("two tools are called `{}`", ToolSearch::form().name)), "{twice}");
        assert!(twice.contains("give one of them another name"), "{twice}");
        assert_eq!((said([on(), off()]), said([off(), on()])), (None, None));
        for both in [[on(), on()], [off(), off()], [on(), Layer::default()], [Layer::default(), off()]] {
            assert!(said(both.clone()).is_some(), "{both:?}");
        }
    }

    #[test]
    fn a_tool_by_the_name_of_a_built_in_one_is_refused_also_where_that_may_give_way() {
        let made = Tools::new(Late::default(), |mut tools| {
            let glob = tools.built_in().iter().find(|tool| tool.form().name == "Glob").cloned();
            tools.add_erased(glob.expect("it is built in")).expect("its name is one");
            tools
        });
        let Err(Fault::Message(message)) = made else { panic!("it is refused") };
        assert!(message.contains("`Glob`"), "{message}");
    }

    #[test]
    fn within_an_executor_it_says_what_to_do_in_place_of_panicking() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("it starts");
        let made = runtime.block_on(async { Tools::new(Late::default(), |tools| tools) });
        let Err(Fault::Message(message)) = made else { panic!("it is refused") };
        assert!(message.contains("`main` that is not async"), "{message}");
    }
}

//! Promises of the simulator and of the project as a whole, named by what must hold.

mod tidy;

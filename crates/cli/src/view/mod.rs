//! `--view`: a page that shows a running link or lab, and changes its policy.
//!
//! A page is served by a thread of its own, to few clients at once; another asks the link or lab
//! what there is to see, while somebody looks on. Neither is ever waited for by who passes frames.
//! Whoever reads slowly gets the latest picture only.
//!
//! What the page may do is not for everybody on the machine: all but the page itself needs the
//! token that the program prints (`access.rs`).

mod access;
mod answers;
mod server;
mod shown;
#[cfg(test)]
mod tests;
mod watch;

use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::thread;

use clap::Args;
use forebay_dataplane::link::NewPolicy;
use forebay_dataplane::live::Control;
use forebay_parameters::{Entry, Kind, Listed, listed};
use forebay_switch::{Catalogue, SwitchConfig, SwitchInfo};
use serde_json::{Value, json};

use crate::Failure;
use crate::net::wrong;
use access::Token;
use watch::Watch;

/// The options of a view.
#[derive(Args, Clone)]
pub(crate) struct ViewArguments {
    /// Show what happens on a page at this address, as 127.0.0.1:8377 (port 0: any that is free),
    /// where the policy can be changed as well; the page's address with its token is printed.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) view: Option<SocketAddr>,
    /// The token that the page needs, in a file (at least 16 characters) [default: a new one];
    /// must be given where others than this machine are to reach the page.
    #[arg(long, value_name = "FILE", requires = "view")]
    pub(crate) view_token: Option<PathBuf>,
}

/// The policies of a link or a lab, to look at and to change.
pub(crate) trait Policies: Send {
    /// What is known from the beginning: what it is, its devices, and which policies there are.
    fn about(&self) -> Value;

    /// The policy of a device: its switch, or the one called `switch` with its defaults, and the
    /// parameters that it shows.
    fn describe(&self, device: u32, switch: Option<&str>) -> Result<Value, Failure>;

    /// What is made of the policies of these devices, if `set` is said of them.
    fn change(
        &mut self,
        devices: &[u32],
        set: &[(String, String)],
    ) -> Result<Vec<(u32, NewPolicy)>, Failure>;
}

/// The policies that can be chosen.
pub(crate) fn known(catalogue: &Catalogue) -> Value {
    let switches = catalogue.switches();
    let one = |info: &SwitchInfo| json!({ "name": info.name(), "about": info.about() });
    switches.iter().map(one).collect()
}

/// A policy: its switch, whether that is another than decides at present, and what it shows, under
/// the keys that change it. What follows from the packets, and what names a file, is left out.
pub(crate) fn described(
    name: &str,
    is_other: bool,
    mut switch: SwitchConfig,
    rules: [(&str, String); 2],
) -> Value {
    let shown = listed(&mut switch);
    let one = |one: &Listed| {
        let key = switch.option(&one.parameter.name);
        let is_shown = one.parameter.kind != Kind::Path && key != "largest_packet";
        let value = one.value.to_string();
        is_shown.then(|| json!({ "key": key, "value": value, "about": one.parameter.about }))
    };
    let parameters = shown.iter().filter_map(one);
    let meaning = [
        "The class of a packet by its header fields, as dscp == 46 ? 0 : 1.",
        "The rank of a packet: a rank function, or a rule over its header fields.",
    ];
    let rules = rules
        .iter()
        .zip(meaning)
        .map(|((key, value), about)| json!({ "key": key, "value": value, "about": about }));
    let parameters: Vec<Value> = parameters.chain(rules).collect();
    json!({ "switch": name, "is_other": is_other, "parameters": parameters })
}

/// A view whose address is taken, at which nothing is served yet.
pub(crate) struct Bound {
    listener: TcpListener,
    token: Token,
    address: SocketAddr,
}

impl Bound {
    /// The view that the arguments ask for. To be taken before the process leaves the network
    /// namespace in which it was started.
    pub(crate) fn new(arguments: &ViewArguments) -> Result<Option<Self>, Failure> {
        let Some(address) = arguments.view else { return Ok(None) };
        let token = match &arguments.view_token {
            Some(path) => Token::read(path)?,
            None if !address.ip().is_loopback() => {
                let problem = "others than this machine could reach it: give 127.0.0.1 as address, \
                               or a token that they need (--view-token FILE)";
                return Err(wrong("view", format!("{address}: {problem}")));
            }
            None => Token::new().map_err(|error| {
                Failure::new(format!("error: no token can be made for --view: {error}"), 1)
            })?,
        };
        let cannot = |error: std::io::Error| {
            Failure::new(format!("error: --view {address}: cannot listen there: {error}"), 1)
        };
        let listener = TcpListener::bind(address).map_err(cannot)?;
        listener.set_nonblocking(true).map_err(cannot)?;
        let address = listener.local_addr().map_err(cannot)?;
        Ok(Some(Bound { listener, token, address }))
    }

    /// Where a browser finds it. The token stands where browsers send it to nobody.
    pub(crate) fn link(&self) -> String {
        format!("http://{}/#{}", self.address, self.token.text())
    }

    /// Serves it until the result is dropped.
    pub(crate) fn serve(
        self,
        control: Control,
        policies: impl Policies + 'static,
    ) -> Result<Served, Failure> {
        let cannot = |error: std::io::Error| {
            Failure::new(format!("error: --view cannot be served: {error}"), 1)
        };
        let (watch, watching) = Watch::new(control, Box::new(policies));
        let (stop, stopped) = tokio::sync::watch::channel(());
        let looking = thread::Builder::new()
            .name("view".to_owned())
            .spawn(move || watching.run())
            .map_err(cannot)?;
        let Bound { listener, token, .. } = self;
        let asked = watch.clone();
        let serving = thread::Builder::new()
            .name("view-server".to_owned())
            .spawn(move || server::run(listener, token, asked, stopped))
            .map_err(cannot)?;
        Ok(Served { watch, stop: Some(stop), threads: vec![looking, serving] })
    }
}

/// A view that is served until this is dropped.
pub(crate) struct Served {
    watch: Watch,
    stop: Option<tokio::sync::watch::Sender<()>>,
    threads: Vec<thread::JoinHandle<()>>,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.watch.stop();
        drop(self.stop.take());
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

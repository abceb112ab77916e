//! Everything that can be chosen by name, which a program passes to the laboratory, the command and
//! Python.

use forebay_cache::policies::CachePolicy;
use forebay_net::transport::{CongestionControl, congestion_controls};
use forebay_parameters::Choices;
use forebay_surge::policies::JobPolicy;
use forebay_switch::Catalogue;

/// Every registry of the house. The default has the built-in entries; a caller adds its own to any
/// of them.
///
/// ```
/// use forebay_net::transport::{AckSample, Congestion, CongestionControl, Controller, Window};
/// use forebay_parameters::Choice;
/// use forebay_scenarios::Policies;
/// use forebay_units::Bytes;
///
/// /// A window that never changes.
/// #[derive(Clone, Debug)]
/// struct Fixed;
/// impl CongestionControl for Fixed {
///     fn on_ack(&mut self, _: &mut Window, _: &AckSample<'_>) {}
///     fn on_congestion(&mut self, window: &Window, _: &Congestion) -> Bytes { window.cwnd }
/// }
///
/// let fixed = Choice::new("fixed", "a window that never changes", (), |(), ()| {
///     Ok(Controller::Own(Box::new(Fixed)))
/// });
/// let built_in = Policies::default();
/// let policies = Policies { controls: built_in.controls.with(fixed)?, ..built_in };
/// let registry = forebay_scenarios::registry(&policies)?; // its hosts can send by `fixed`
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Policies {
    /// What switches can be made of: buffer policies, rank functions, schedulers.
    pub switches: Catalogue,
    /// How hosts size their windows.
    pub controls: Choices<dyn CongestionControl>,
    /// What caches evict.
    pub caches: Choices<dyn CachePolicy>,
    /// Which job is processed next, and which is dropped.
    pub jobs: Choices<dyn JobPolicy>,
}

impl Default for Policies {
    fn default() -> Self {
        Policies {
            switches: Catalogue::default(),
            controls: congestion_controls(),
            caches: forebay_cache::policies::policies(),
            jobs: forebay_surge::policies::policies(),
        }
    }
}

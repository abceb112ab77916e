//! Attack flows whose packets join lists: what a job takes goes by those that were served before
//! it.

use std::collections::HashMap;

use forebay_units::Duration;

use super::{Recorded, RecordedJob};
use crate::job::FlowKey;
use crate::model::attack::Shot;
use crate::model::simulation::JobSizes;
use crate::model::traffic::{Class, Offer};

/// The lists of attack flows as they are: a packet's job goes by how many of its flow have been
/// served.
///
/// ```
/// use forebay_surge::FlowKey;
/// use forebay_surge::model::{Class, JobSizes, Lists, Recorded};
/// use forebay_units::Duration;
///
/// let file = "class,flow,bytes,estimate_ns,work_ns\ninnocent,0,1500,9,9\nattack,0,64,5,5\nattack,0,64,7,7\n";
/// let recorded = Recorded::read(file.as_bytes())?;
/// let mut lists = Lists::new(&recorded);
/// // The third packet of a flow that is served first of all finds no list.
/// let mut begun = |flow| lists.begun(Class::Attack, FlowKey(flow), Duration::from_ns(99));
/// assert_eq!([1, 1, 1, 2].map(|flow| begun(flow).as_ps()), [5000, 7000, 7000, 5000]);
/// # Ok::<(), forebay_surge::model::RecordedError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Lists<'a> {
    rows: &'a [RecordedJob],
    /// Packets served, by flow.
    served: HashMap<FlowKey, usize>,
}

impl<'a> Lists<'a> {
    /// All empty.
    #[must_use]
    pub fn new(recorded: &'a Recorded) -> Self {
        Lists { rows: &recorded.attack, served: HashMap::new() }
    }

    /// The job of a packet before which so many of its flow were served; the last, if there are no
    /// more.
    fn row(&self, served: usize) -> Option<Shot> {
        self.rows.get(served).or(self.rows.last()).map(|row| row.shot)
    }
}

impl JobSizes for Lists<'_> {
    fn told(&mut self, offer: &Offer) -> Duration {
        if offer.class == Class::Innocent {
            return offer.estimate;
        }
        let served = self.served.get(&offer.flow).copied().unwrap_or(0);
        self.row(served).map_or(offer.estimate, |shot| shot.estimate)
    }

    fn begun(&mut self, class: Class, flow: FlowKey, work: Duration) -> Duration {
        if class == Class::Innocent {
            return work;
        }
        let served = self.served.entry(flow).or_insert(0);
        let before = *served;
        *served += 1;
        self.row(before).map_or(work, |shot| shot.work)
    }
}

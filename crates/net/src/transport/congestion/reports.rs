//! What controls that read telemetry share: the reports of the last acknowledgement.

use crate::transport::report::{MAX_REPORTS, PortReport};

/// The reports that an acknowledgement brought, to compare the next ones with.
#[derive(Clone, Debug, Default)]
pub(super) struct LastReports {
    reports: [PortReport; MAX_REPORTS],
    count: usize,
}

impl LastReports {
    /// Compares each port's report with its last one, and keeps these. False if these are of other
    /// ports, or are none: nothing was compared then. A port whose report is no newer is passed
    /// over.
    pub(super) fn compare(
        &mut self,
        reports: &[PortReport],
        mut with: impl FnMut(&PortReport, &PortReport),
    ) -> bool {
        let reports = &reports[..reports.len().min(MAX_REPORTS)];
        let before = &self.reports[..self.count];
        let pairs = || reports.iter().zip(before);
        let is_same = !reports.is_empty()
            && reports.len() == self.count
            && pairs().all(|(now, before)| now.port == before.port);
        if is_same {
            let newer = pairs().filter(|(now, before)| now.at > before.at);
            newer.for_each(|(now, before)| with(now, before));
        }
        self.count = reports.len();
        self.reports[..reports.len()].copy_from_slice(reports);
        is_same
    }
}

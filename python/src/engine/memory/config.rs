//! The parameters of the memory by name: geometry, timing in clocks, refresh, and its controllers.

use forebay_mem::{ControllerConfig, HbmConfig, PagePolicy, Refresh, Scheduling, WriteToRead};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::parameters::Parameters;

/// The stack: by default Samsung's HBM2E.
pub(in crate::engine) fn stack(parameters: &mut Parameters<'_>) -> PyResult<HbmConfig> {
    let mut config = HbmConfig::samsung_hbm2e();
    let geometry = &mut config.geometry;
    parameters.whole("pseudo_channels", &mut geometry.pseudo_channels)?;
    parameters.whole("bank_groups", &mut geometry.bank_groups)?;
    parameters.whole("banks_per_group", &mut geometry.banks_per_group)?;
    parameters.whole("rows", &mut geometry.rows)?;
    parameters.bytes("row_bytes", &mut geometry.row_bytes)?;
    parameters.bytes("access_bytes", &mut geometry.access_bytes)?;
    let timing = &mut config.timing;
    parameters.span("t_ck", &mut timing.t_ck)?;
    for (name, place) in [
        ("t_rc", &mut timing.t_rc),
        ("t_ras", &mut timing.t_ras),
        ("t_rp", &mut timing.t_rp),
        ("t_rcd_rd", &mut timing.t_rcd_rd),
        ("t_rcd_wr", &mut timing.t_rcd_wr),
        ("t_rtp", &mut timing.t_rtp),
        ("t_wr", &mut timing.t_wr),
        ("t_ccd_s", &mut timing.t_ccd_s),
        ("t_ccd_l", &mut timing.t_ccd_l),
        ("t_rrd_s", &mut timing.t_rrd_s),
        ("t_rrd_l", &mut timing.t_rrd_l),
        ("t_faw", &mut timing.t_faw),
        ("t_rtw", &mut timing.t_rtw),
        ("t_wtr", &mut timing.t_wtr),
        ("cl", &mut timing.cl),
        ("cwl", &mut timing.cwl),
        ("burst", &mut timing.burst),
        ("t_refi", &mut timing.t_refi),
        ("t_rfc", &mut timing.t_rfc),
        ("t_rfc_sb", &mut timing.t_rfc_sb),
    ] {
        parameters.whole(name, place)?;
    }
    let counts = [
        ("command-to-command", WriteToRead::CommandToCommand),
        ("from-data-end", WriteToRead::FromDataEnd),
    ];
    parameters.choice("write_to_read", &mut timing.write_to_read, &counts)?;
    let refreshes =
        [("off", Refresh::Off), ("all-bank", Refresh::AllBank), ("per-bank", Refresh::PerBank)];
    parameters.choice("refresh", &mut config.refresh, &refreshes)?;
    Ok(config)
}

/// A pseudo channel's controller. `scheduling` is "fr-fcfs" or "in-order", and each has its own parameters.
pub(in crate::engine) fn controller(
    default: ControllerConfig,
    parameters: &mut Parameters<'_>,
) -> PyResult<ControllerConfig> {
    let mut config = default;
    parameters.set("scheduling", &mut config.scheduling, |value| {
        match value.extract::<String>()?.as_str() {
            "fr-fcfs" => Ok(ControllerConfig::fr_fcfs().scheduling),
            "in-order" => Ok(ControllerConfig::in_order(0).scheduling),
            other => Err(PyValueError::new_err(format!(
                "\"{other}\" is neither \"fr-fcfs\" nor \"in-order\""
            ))),
        }
    })?;
    match &mut config.scheduling {
        Scheduling::InOrder { lookahead } => parameters.whole("lookahead", lookahead)?,
        Scheduling::FrFcfs { group_limit, hit_limit } => {
            parameters.whole("group_limit", group_limit)?;
            parameters.whole("hit_limit", hit_limit)?;
        }
    }
    parameters.whole("queue_depth", &mut config.queue_depth)?;
    let pages = [("open", PagePolicy::Open), ("closed", PagePolicy::Closed)];
    parameters.choice("page", &mut config.page, &pages)?;
    Ok(config)
}

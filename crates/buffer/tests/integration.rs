//! The integration tests, each file a module: one program compiles and links once.

mod admission_pipeline;
mod lossless_classes;
mod occamy_pipeline;
mod onchip_analysis;
mod onchip_conservation;
mod onchip_own_policy;
mod onchip_reference;
mod priority_groups;
mod themis_manager;
mod witness;

-- Webhooks: a delivery is to an endpoint of its organisation, and so are its attempts.

ALTER TABLE webhooks_delivery ADD CONSTRAINT delivery_is_of_its_organisation
    FOREIGN KEY (endpoint_id, organisation_id) REFERENCES webhooks_endpoint (id, organisation_id);
ALTER TABLE webhooks_attempt ADD CONSTRAINT attempt_is_of_its_organisation
    FOREIGN KEY (delivery_id, organisation_id) REFERENCES webhooks_delivery (id, organisation_id);
ALTER TABLE webhooks_duedelivery ADD CONSTRAINT due_delivery_is_of_its_organisation
    FOREIGN KEY (delivery_id, organisation_id) REFERENCES webhooks_delivery (id, organisation_id);
ALTER TABLE webhooks_duedelivery ADD CONSTRAINT due_endpoint_is_of_its_organisation
    FOREIGN KEY (endpoint_id, organisation_id) REFERENCES webhooks_endpoint (id, organisation_id);

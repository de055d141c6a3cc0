-- What auditors ask is answered from indexes, however long the log is.

-- An entity's state as of a position is found without a look at the rows of its other versions.
DROP INDEX read.revisions_of_entity;
CREATE INDEX revisions_of_entity ON read.revisions (entity, entity_id, version, position);

-- A moment leads to a position, also where many events have the same one.
DROP INDEX read.revisions_by_moment;
CREATE INDEX revisions_by_moment ON read.revisions (moment, position);

-- What one person did.
CREATE INDEX revisions_of_actor ON read.revisions (actor_sub, position);

-- Registrations and removals: changes are most of the log, so an index would not lead to few of them.
CREATE INDEX revisions_of_lives ON read.revisions (type, position)
WHERE type IN (
  'driver.registered', 'driver.removed', 'trailer.registered', 'trailer.removed',
  'horse.registered', 'horse.removed', 'location.registered', 'location.removed'
);

'use strict'

/**
 * @param {import('../..').Loss} loss
 * @returns {string} a sentence without its full stop
 */
function lossInWords (loss) {
  const text = words[loss.kind](loss)
  return loss.database === undefined ? text : `${loss.database}: ${text}`
}

/** @type {Record<import('../..').Loss['kind'], (loss: any) => string>} */
const words = {
  document: ({ id, rev, lostRev }) => `document ${quoted(id)}${lostRev === undefined ? '' : ` at ${lostRev}`} is lost${rev === undefined ? '' : `; it is back at ${rev}`}`,
  revision: ({ id, rev }) => `document ${quoted(id)}: the body at ${rev} is lost`,
  attachment: ({ id, rev, name, digest }) => `document ${quoted(id)} at ${rev}: the attachment ${quoted(name)} (${digest}) is lost`,
  version: ({ id, seq }) => `document ${quoted(id)}: the earlier version of sequence ${seq} is lost`,
  content: ({ digest, length }) => `an attachment of ${length} bytes (${digest}) belonged to documents that are lost`,
  local: ({ id }) => `the local document ${quoted(`_local/${id}`)} is lost`,
  value: ({ name }) => `the setting ${quoted(name)} is lost`,
  purge: ({ key }) => `the purge at ${quoted(key)} is forgotten`,
  database: () => 'the record of the database is lost: its settings are the default ones',
  name: () => 'the name of this database is lost',
  entry: ({ name }) => `the entry of a database ${quoted(name)} is damaged`,
  key: ({ key }) => `the key ${quoted(key)} belongs to nothing`,
  range: ({ of, from, to }) => `${of === undefined ? 'entries' : several[of]} from ${quoted(from)} ${to === undefined ? 'to the end' : `to ${quoted(to)}`} are lost, or some of them`
}

/** @type {Record<string, string>} */
const several = { document: 'documents', local: 'local documents', purge: 'purges', revision: 'older and conflicting revisions', value: 'settings', version: 'earlier versions of documents' }

/** @param {string} text */
const quoted = text => JSON.stringify(text)

module.exports = { lossInWords }

'use strict'

const crypto = require('node:crypto')

/** The path of a document under its database's. */
function pathOf (id) {
  return id.startsWith('_design/') ? `_design/${encodeURIComponent(id.slice(8))}` : encodeURIComponent(id)
}

/**
 * All that replicates of a database: every leaf of every document, with its history, its body as the
 * text has it, and what its attachments hold.
 *
 * @param {import('./server').Server} server
 * @param {string} name
 * @returns {Promise<Record<string, any>>} by id
 */
async function contentsOf (server, name) {
  const { results } = await server.ask('GET', `${name}/_changes?style=all_docs`)
  const contents = {}
  const revs = results.flatMap(({ id, changes }) => changes.map(({ rev }) => ({ id, rev })))
  for (let i = 0; i < revs.length; i += 500) {
    const { results: found } = await server.ask('POST', `${name}/_bulk_get?revs=true&att_encoding_info=true`, { docs: revs.slice(i, i + 500) })
    for (const { id, docs } of found) for (const { ok } of docs) (contents[id] ??= {})[ok._rev] = await leaf(server, name, ok)
  }
  return Object.fromEntries(Object.keys(contents).sort().map(id => [id, sorted(contents[id])]))
}

async function leaf (server, name, { _attachments: attachments = {}, ...doc }) {
  const content = {}
  for (const [file, { content_type: type, revpos, length, digest, encoding, encoded_length: encodedLength }] of Object.entries(attachments)) {
    const response = await server.fetch('GET', `${name}/${pathOf(doc._id)}/${file.split('/').map(encodeURIComponent).join('/')}?rev=${encodeURIComponent(doc._rev)}`)
    const bytes = Buffer.from(await response.arrayBuffer())
    content[file] = { type, revpos, length, digest, encoding, encodedLength, status: response.status, sha256: crypto.createHash('sha256').update(bytes).digest('hex') }
  }
  return sorted({ ...doc, content })
}

function sorted (value) {
  if (Array.isArray(value) || typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.keys(value).sort().map(name => [name, sorted(value[name])]))
}

module.exports = { contentsOf, pathOf }

'use strict'

const { formatSequence } = require('../sequence')
const { sendJson } = require('../response')

/** `POST /_replicate`: 200 when all is copied, 202 when it goes on. */
async function replicate (req, res) {
  const { body, service, user } = req
  const result = await service.replicator.replicate(body, user)
  if (result._local_id !== undefined) return sendJson(res, body.cancel === true ? 200 : 202, result)
  sendJson(res, 200, await withSequences(result, body, service))
}

/** A database of this server counts in numbers; clients know its sequences as text. */
async function withSequences (result, { source }, { databases }) {
  const name = typeof source === 'string' ? source : source?.url
  if (!databases.has(name)) return result
  const database = await databases.get(name)
  const format = seq => typeof seq === 'number' ? formatSequence(database, seq) : seq
  const history = result.history.map(entry => ({ ...entry, start_last_seq: format(entry.start_last_seq), end_last_seq: format(entry.end_last_seq), recorded_seq: format(entry.recorded_seq) }))
  return { ...result, source_last_seq: format(result.source_last_seq), history }
}

module.exports = [
  { method: 'POST', path: '/_replicate', who: 'user', body: 'typed-json', handler: replicate }
]

'use strict'

const admin = { name: 'anna', password: 'a secret' }

const VIEW = { views: { byNumber: { map: 'function (doc) { if (doc.number) emit(doc.number, doc.number) }', reduce: '_sum' } } }

/** A client of one server. @param {string} url */
function clientOf (url) {
  const Authorization = `Basic ${btoa(`${admin.name}:${admin.password}`)}`
  /** @param {string} method @param {string} place @param {any} [body] */
  return async (method, place, body) => {
    const response = await fetch(url + place, { method, headers: { Accept: 'application/json', Authorization, 'Content-Type': 'application/json' }, body: body === undefined ? undefined : JSON.stringify(body) })
    const answer = await response.json()
    if (!response.ok) throw new Error(`${method} ${place}: ${response.status} ${JSON.stringify(answer)}`)
    return answer
  }
}

/** Writes a little of all that a data folder can hold. @param {string} url */
async function written (url) {
  const ask = clientOf(url)
  await ask('PUT', '/todos')
  await ask('PUT', '/todos/_design/d', VIEW)
  await ask('POST', '/todos/_bulk_docs', { docs: Array.from({ length: 50 }, (_, i) => ({ _id: `doc-${i}`, number: i + 1, text: 'x'.repeat(i * 10) })) })
  await ask('PUT', '/todos/doc-1?new_edits=false', { _id: 'doc-1', _rev: '1-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', conflict: true })
  await ask('DELETE', `/todos/doc-2?rev=${(await ask('GET', '/todos/doc-2'))._rev}`)
  await ask('PUT', '/todos/attached', { _attachments: { 'a.txt': { content_type: 'text/plain', data: btoa('attached text') } } })
  await ask('PUT', '/todos/_local/note', { kept: true })
  await ask('PUT', '/todos/_security', { admins: {}, members: { names: ['berta'] } })
  await ask('PUT', '/_users/org.couchdb.user:berta', { name: 'berta', password: 'other', roles: ['r'], type: 'user' })
  await ask('POST', '/todos/_index', { index: { fields: ['number'] }, name: 'numbers', ddoc: 'numbers' })
  await content(url)
}

/** Reads what `written` left, as a client sees it. @param {string} url */
async function content (url) {
  const ask = clientOf(url)
  const { doc_count: documents, doc_del_count: deleted } = await ask('GET', '/todos')
  const { rows } = await ask('GET', '/todos/_design/d/_view/byNumber')
  const { docs } = await ask('POST', '/todos/_find', { selector: { number: { $gt: 48 } }, sort: ['number'], fields: ['_id'], use_index: 'numbers' })
  return {
    documents,
    deleted,
    sum: rows[0].value,
    found: docs.map((/** @type {any} */ doc) => doc._id),
    conflicts: (await ask('GET', '/todos/doc-1?conflicts=true'))._conflicts.length,
    attachment: atob((await ask('GET', '/todos/attached?attachments=true'))._attachments['a.txt'].data),
    local: (await ask('GET', '/todos/_local/note')).kept,
    members: (await ask('GET', '/todos/_security')).members.names,
    roles: (await ask('GET', '/_users/org.couchdb.user:berta')).roles,
    length: (await ask('GET', '/todos/doc-40')).text.length
  }
}

module.exports = { admin, clientOf, content, written }

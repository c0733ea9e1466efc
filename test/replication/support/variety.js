'use strict'

const { pathOf } = require('./contents')

const LONG = 3 * 1024 * 1024 + 7

/** Attachments by name: bytes, and what they are. */
const files = [
  ['a b"ü.bin', LONG, 'x/y'],
  ['dir/sub.txt', 200000, 'text/plain'],
  ['small', 10, 'text/plain'],
  ['empty', 0, 'a/b'],
  ['%41+&?.bin', 70000, 'application/octet-stream']
]

/**
 * Fills a database with what replications stumble over.
 * @param {import('./server').Server} server
 * @param {string} name
 */
async function fillWithVariety (server, name) {
  await server.create(name)
  await server.ask('POST', `${name}/_bulk_docs`, {
    docs: [
      ...Array.from({ length: 100 }, (_, n) => ({ _id: `d${n}`, n })),
      { _id: '_design/f', filters: { few: 'function (doc, req) { return doc.n < Number(req.query.below) }' }, views: { v: { map: 'function (doc) { emit(doc.n) }' } } },
      { _id: 'ünï/cödé ☃ +&?%41', snow: '☃' }
    ]
  })
  await server.ask('POST', `${name}/_bulk_docs`, {
    new_edits: false,
    docs: [
      { _id: 'conflict', _rev: '1-aa', x: 1 },
      { _id: 'conflict', _rev: '1-bb', x: 2 },
      { _id: 'conflict', _rev: '2-cc', _revisions: { start: 2, ids: ['cc', 'dd'] }, _deleted: true }
    ]
  })
  const { _rev: rev } = await server.ask('GET', `${name}/d7`)
  await server.ask('DELETE', `${name}/d7?rev=${rev}`)
  await attach(server, name, 'many files', files)
  await attach(server, name, '_design/f', [['d.txt', 100000, 'text/plain']])
  await server.ask('PUT', `${name}/small`, { _attachments: { s: { content_type: 'text/plain', data: Buffer.from('hello '.repeat(100)).toString('base64') } } })
}

async function attach (server, name, id, list) {
  const path = `${name}/${pathOf(id)}`
  const found = await server.fetch('GET', path)
  let { _rev: rev } = await found.json()
  if (found.status === 404) rev = (await server.ask('PUT', path, { n: 0.5 })).rev
  for (const [file, length, type] of list) {
    const response = await server.fetch('PUT', `${path}/${file.split('/').map(encodeURIComponent).join('/')}?rev=${rev}`, { body: Buffer.alloc(length, `${file} `), headers: { 'Content-Type': type } })
    rev = (await response.json()).rev
  }
}

/** Changes some of it, one attachment of several too. */
async function changeSome (server, name) {
  await attach(server, name, 'many files', [['small', 20, 'text/plain'], ['new', LONG - 1, 'x/z']])
  const { _rev: rev } = await server.ask('GET', `${name}/d8`)
  await server.ask('PUT', `${name}/d8`, { _rev: rev, n: 'changed' })
}

module.exports = { fillWithVariety, changeSome }

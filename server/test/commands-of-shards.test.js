'use strict'

const assert = require('node:assert/strict')
const { execFile } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { serve } = require('..')

const program = path.join(__dirname, '../bin/potoroo.js')
const admin = { name: 'admin', password: 'secret' }

/** @returns {Promise<{ code: number, stdout: string, stderr: string }>} */
function potoroo (...words) {
  return new Promise(resolve => {
    execFile(process.execPath, [program, ...words], (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }))
  })
}

describe('commands for databases of several shards', () => {
  let folder, data

  const inside = name => path.join(folder, name)
  const options = { port: 0, storage: /** @type {const} */ ('classic-level'), allowVolatile: true, admins: { [admin.name]: admin.password }, config: { chttpd_auth: { iterations: 10 } }, log () {} }

  /** A server on a data folder, while something is done. */
  async function withServer (place, run) {
    const server = await serve({ ...options, path: place })
    const send = async (method, path, body) => {
      const response = await fetch(server.url.replace(/\/$/, '') + path, { method, body: body && JSON.stringify(body), headers: { Authorization: `Basic ${btoa(`${admin.name}:${admin.password}`)}`, 'Content-Type': 'application/json' } })
      assert.ok(response.ok, `${method} ${path}: ${response.status}`)
      return response.json()
    }
    try {
      return await run(send, server)
    } finally {
      await server.close()
    }
  }

  const ids = Array.from({ length: 20 }, (_, i) => `doc${String(i).padStart(2, '0')}`)

  /** Returns all that users see of the database. */
  async function contentOf (send) {
    const { rows } = await send('GET', '/db/_all_docs?include_docs=true&attachments=true')
    const locals = await send('GET', '/db/_local_docs')
    return { docs: rows.map(({ doc }) => doc), locals: locals.rows.map(({ id }) => id).filter(id => !id.includes('import')), security: await send('GET', '/db/_security') }
  }

  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-shards-'))
    data = inside('data')
    await withServer(data, async send => {
      await send('PUT', '/db?q=3')
      await send('PUT', '/plain')
      await send('POST', '/db/_bulk_docs', { docs: ids.map(_id => ({ _id, _attachments: { a: { content_type: 'text/plain', data: btoa(_id) } } })) })
      for (const name of ['one', 'two', 'three']) await send('PUT', `/db/_design/${name}`, { language: name })
      await send('PUT', '/db/_local/mine', { n: 1 })
      await send('PUT', '/db/_security', { members: { names: ['ben'] } })
    })
  })

  after(() => fs.rmSync(folder, { recursive: true }))

  it('export all of it, and import brings it back', async () => {
    const exported = await potoroo('export', '--to', inside('exported'), '--data', data)
    assert.equal(exported.code, 0, exported.stderr)
    assert.match(exported.stderr, /^db: 23 documents with 23 leaf revisions, 20 attachments, 1 local document, /m)
    assert.deepEqual(fs.readdirSync(inside('exported')).sort(), ['_replicator.jsonl', '_users.jsonl', 'db.jsonl', 'plain.jsonl'])
    const lines = fs.readFileSync(inside('exported/db.jsonl'), 'utf8').trim().split('\n').map(line => JSON.parse(line))
    const sequences = lines.flatMap(({ _local_seq: seq }) => seq ?? [])
    assert.deepEqual(sequences, [...new Set(sequences)].sort((a, b) => a - b))
    assert.ok(lines[0].update_seq >= sequences.at(-1))
    const [plain] = fs.readFileSync(inside('exported/plain.jsonl'), 'utf8').split('\n', 1)
    assert.deepEqual([lines[0].q, 'q' in JSON.parse(plain)], [3, false])

    const imported = await potoroo('import', inside('exported/db.jsonl'), '--data', inside('imported'), '--storage', 'classic-level', '--allow-volatile')
    assert.equal(imported.code, 0, imported.stderr)
    assert.match(imported.stderr, /^db: it had 3 shards and has one here: with --server it gets as many$/m)
    const before = await withServer(data, contentOf)
    assert.deepEqual(await withServer(inside('imported'), contentOf), before)
    assert.equal(before.docs.length, 23)
  })

  it('import and compare by way of the server', async () => {
    const exported = await potoroo('export', 'db', '--to', inside('one.jsonl'), '--data', data)
    assert.equal(exported.code, 0, exported.stderr)
    await withServer(data, async (send, { url }) => {
      const to = url.replace('//', `//${admin.name}:${admin.password}@`)
      const same = await potoroo('import', inside('one.jsonl'), '--verify', '--server', to)
      assert.equal(same.code, 0, same.stderr + same.stdout)
      assert.match(same.stdout, /^db: 23 documents, .* no differences/)
      await send('PUT', '/copy?q=2')
      const imported = await potoroo('import', inside('one.jsonl'), 'copy', '--server', to)
      assert.equal(imported.code, 0, imported.stderr)
      const compared = await potoroo('import', inside('one.jsonl'), 'copy', '--verify', '--server', to)
      assert.match(compared.stdout, /no differences/)
      await send('DELETE', '/copy')
      const made = await potoroo('import', inside('one.jsonl'), 'made', '--server', to)
      assert.equal(made.code, 0, made.stderr)
      assert.equal((await send('GET', '/made')).cluster.q, 3)
      assert.doesNotMatch(made.stderr, /shards/)
      await send('DELETE', '/made')
    })
    const refused = await potoroo('import', inside('one.jsonl'), '--verify', '--data', data, '--allow-volatile')
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /db has several shards: import into a server that runs, with --server/)
  })

  it('check, compact and salvage it', async () => {
    const checked = await potoroo('check', '--data', data)
    assert.deepEqual([checked.code, checked.stdout], [0, ''], checked.stderr)
    const compacted = await potoroo('compact', '--data', data)
    assert.equal(compacted.code, 0, compacted.stderr)
    assert.match(compacted.stdout, /^db: /m)
    const salvaged = await potoroo('salvage', '--data', data, '--to', inside('salvaged'))
    assert.ok(salvaged.code !== 1, salvaged.stderr)
    assert.equal(salvaged.stdout, '')
    const again = await potoroo('check', '--data', inside('salvaged'))
    assert.deepEqual([again.code, again.stdout], [0, ''], again.stderr)
    assert.deepEqual(await withServer(inside('salvaged'), contentOf), await withServer(data, contentOf))
  })
})

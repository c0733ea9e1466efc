'use strict'

const assert = require('node:assert/strict')
const { execFile, spawn } = require('node:child_process')
const crypto = require('node:crypto')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const os = require('node:os')
const path = require('node:path')
const { DataFolder, admin } = require('../end-to-end/data-folder')

const program = path.resolve(__dirname, '../../server/bin/potoroo.js')
const authorization = `Basic ${Buffer.from(`${admin.name}:${admin.password}`).toString('base64')}`

const BIG = '123456789012345678901234567890'
const ODD = ['a/b', '_design/ü', 'toString', '+ %2F?&', 'constructor', '\u{1f998}\u2028', 'a"\\b', 'x'.repeat(1000)]
const ATTACHMENT = crypto.randomBytes(20 * 1024 * 1024)

/** @returns {Promise<{ code: number, stdout: string, stderr: string }>} */
function potoroo (...words) {
  return new Promise(resolve => {
    execFile(process.execPath, [program, ...words], { maxBuffer: 2 ** 26 }, (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }))
  })
}

/** The text of an answer: what JSON.parse makes of it would be less. */
async function text (url, method = 'GET', body = undefined, type = 'application/json') {
  const response = await fetch(url, { method, body, headers: { authorization, accept: 'application/json', 'content-type': type } })
  assert.ok(response.ok, `${method} ${url}: ${response.status}`)
  return response.text()
}

const revOf = answer => JSON.parse(answer).rev

async function fill (url) {
  await text(`${url}/todos`, 'PUT')
  await text(`${url}/parts%2Fx?partitioned=true`, 'PUT')
  await text(`${url}/parts%2Fx/a:1`, 'PUT', `{"n":${BIG}}`)
  await text(`${url}/todos/_security`, 'PUT', '{"members":{"names":["ben"]}}')
  await text(`${url}/todos/_revs_limit`, 'PUT', '7')
  await text(`${url}/todos/_local/mine`, 'PUT', `{"n":-${BIG},"list":[]}`)
  for (const id of ODD) await text(`${url}/todos/${id.startsWith('_design/') ? id : encodeURIComponent(id)}`, 'PUT', `{"id":${JSON.stringify(id)},"n":[${BIG},-0.5e-7,true,null],"nested":{"__proto__":{"x":${BIG}}}}`)
  await text(`${url}/todos/_bulk_docs`, 'POST', `{"new_edits":false,"docs":[
    {"_id":"conflict","_rev":"3-c","_revisions":{"start":3,"ids":["c","b","a"]},"n":${BIG}},
    {"_id":"conflict","_rev":"2-z","_revisions":{"start":2,"ids":["z","a"]},"side":true},
    {"_id":"conflict","_rev":"4-gone","_revisions":{"start":4,"ids":["gone","y","x","a"]},"_deleted":true,"why":"old"},
    {"_id":"gone","_rev":"2-d","_revisions":{"start":2,"ids":["d","e"]},"_deleted":true}]}`)
  const attach = (rev, name, content, type) => text(`${url}/todos/files/${encodeURIComponent(name)}${rev ? `?rev=${rev}` : ''}`, 'PUT', content, type).then(revOf)
  let rev = revOf(await text(`${url}/todos/files`, 'PUT', `{"n":${BIG},"b":1.0,"10":1e2}`))
  for (const [name, content, type] of [['big/ü', ATTACHMENT, 'image/png'], ['empty', '', 'text/plain'], ['small', 'small', 'text/plain'], ['packed', 'z'.repeat(300000), 'text/plain'], ['also', ATTACHMENT.subarray(0, 70000), 'image/png']]) rev = await attach(rev, name, content, type)
}

/** All of a database that can be asked for, but its sequences. */
async function everythingOf (url, name) {
  const at = `${url}/${encodeURIComponent(name)}`
  const { results } = JSON.parse(await text(`${at}/_changes?style=all_docs`))
  const documents = {}
  for (const { id } of results) documents[id] = await text(`${at}/${id.startsWith('_design/') ? id : encodeURIComponent(id)}?open_revs=all&revs=true&attachments=true`)
  const { partitioned = false } = JSON.parse(await text(at)).props
  const locals = (await text(`${at}/_local_docs?include_docs=true`)).replace(/.*potoroo-import.*\n?/g, '').replace(/"(total_rows|offset)":\w+/g, '')
  return { order: results.map(({ id, changes, deleted }) => ({ id, changes, deleted })), documents, partitioned, locals: locals.match(/\{"_id":"_local\/mine".*?\}/g), security: await text(`${at}/_security`), revsLimit: await text(`${at}/_revs_limit`) }
}

describe('potoroo export', function () {
  this.timeout(600_000)
  let origin, url, from, out

  before(async () => {
    origin = new DataFolder('classic-level')
    out = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-exported-'))
    url = (await (await origin.start()).started).replace(/\/$/, '')
    from = url.replace('//', `//${admin.name}:${encodeURIComponent(admin.password)}@`)
    await fill(url)
    const result = await potoroo('export', '--to', path.join(out, 'all'), '--server', from)
    assert.equal(result.code, 0, result.stderr)
    assert.match(result.stderr, /^todos: 11 documents with 13 leaf revisions, 5 attachments, 1 local document, 27\.\d MiB$/m)
  })

  after(async () => {
    await origin.remove()
    fs.rmSync(out, { recursive: true })
  })

  const todos = () => path.join(out, 'all/todos.jsonl')

  async function withImported (words, run) {
    const folder = new DataFolder('classic-level')
    try {
      const into = ['--data', folder.path, '--storage', 'classic-level', '--allow-volatile']
      const result = await potoroo('import', ...words, ...into)
      return await run(result, folder, into)
    } finally {
      await folder.remove()
    }
  }

  it('is read by import: everything is as it was', async () => {
    await withImported([path.join(out, 'all')], async (result, folder, into) => {
      assert.equal(result.code, 0, result.stderr)
      const compared = await potoroo('import', path.join(out, 'all'), ...into, '--verify')
      assert.deepEqual([compared.code, compared.stderr], [0, ''])
      const copy = (await (await folder.start()).started).replace(/\/$/, '')
      assert.equal(await text(`${copy}/_all_dbs`), '["_replicator","_users","parts/x","todos"]\n')
      for (const name of ['parts/x', 'todos']) {
        const [there, here] = [await everythingOf(url, name), await everythingOf(copy, name)]
        // Names of what differs, not megabytes.
        assert.deepEqual(Object.keys(here.documents).filter(id => here.documents[id] !== there.documents[id]), [])
        assert.deepEqual({ ...here, documents: null }, { ...there, documents: null })
      }
      assert.match(await text(`${copy}/todos/files`), new RegExp(`"n":${BIG},"b":1\\.0,"10":1e2,`))
      assert.match(await text(`${copy}/todos/_local/mine`), new RegExp(`"n":-${BIG}[,}]`))
      const big = await fetch(`${copy}/todos/files/big%2F%C3%BC`, { headers: { authorization } })
      assert.ok(Buffer.from(await big.arrayBuffer()).equals(ATTACHMENT))
    })
  })

  it('goes into a server that runs, under another name, and is compared to the last digit', async () => {
    const target = `${url}/again`
    assert.equal((await potoroo('import', todos(), 'again', '--server', from)).code, 0)
    assert.equal((await potoroo('import', todos(), 'again', '--server', from, '--verify')).code, 0)
    const [there, here] = [await everythingOf(url, 'todos'), await everythingOf(url, 'again')]
    assert.deepEqual(Object.keys(here.documents).filter(id => here.documents[id] !== there.documents[id]), [])
    assert.deepEqual({ ...here, documents: null }, { ...there, documents: null })
    await text(`${target}/_local/mine`, 'PUT', `{"_rev":"0-1","n":-${BIG.slice(0, -1)}1,"list":[]}`)
    await text(`${target}/more`, 'PUT', '{}')
    const { code, stderr } = await potoroo('import', todos(), 'again', '--server', from, '--verify')
    assert.equal(code, 2)
    assert.match(stderr, /"more" 1-\w+ is only here\n {2}"_local\/mine" has another body/)
  })

  it('has a line of JSON for each leaf and local document, that any program reads', async () => {
    const { code, stdout } = await potoroo('export', 'parts/x', '--to', '-', '--server', from)
    assert.equal(code, 0)
    const lines = stdout.trimEnd().split('\n')
    const [header, doc, end] = lines.map(line => JSON.parse(line))
    assert.deepEqual([header.potoroo_export, header.name, header.partitioned, header.revs_limit, header.update_seq], [1, 'parts/x', true, 1000, 1])
    assert.deepEqual([doc._id, doc._revisions.start], ['a:1', 1])
    assert.match(lines[1], new RegExp(`"n":${BIG}}$`))
    const sha256 = crypto.createHash('sha256').update(`${lines.slice(0, -1).join('\n')}\n`).digest('hex')
    assert.deepEqual(end, { end: true, documents: 1, revisions: 1, attachments: 0, locals: 0, lines: 2, sha256 })
  })

  it('reads a folder that no server has open', async () => {
    await withImported([path.join(out, 'all/parts%2Fx.jsonl')], async (result, folder) => {
      assert.equal(result.code, 0, result.stderr)
      const file = path.join(out, 'one.jsonl')
      assert.equal((await potoroo('export', 'parts/x', '--to', file, '--data', folder.path)).code, 0)
      assert.equal(fs.statSync(file).mode & 0o777, 0o600)
      const leaf = name => fs.readFileSync(path.join(out, name), 'utf8').split('\n')[1]
      assert.equal(leaf('one.jsonl'), leaf('all/parts%2Fx.jsonl'))
    })
  })

  it('is of one moment of a server that is written to', async () => {
    await text(`${url}/counted`, 'PUT')
    const done = new AbortController()
    const writes = (async () => { for (let i = 0; !done.signal.aborted; i++) await text(`${url}/counted/${i}`, 'PUT', '{}') })()
    const { stdout } = await potoroo('export', 'counted', '--to', '-', '--server', from)
    done.abort()
    await writes
    const docs = stdout.trimEnd().split('\n').slice(1, -1).map(line => JSON.parse(line))
    assert.deepEqual(docs.map(({ _id }) => _id), docs.map((_, i) => String(i)))
    assert.equal(JSON.parse(stdout.slice(0, stdout.indexOf('\n'))).update_seq, docs.length)
  })

  it('brings nothing of a file that is cut, changed, or none', async () => {
    const bytes = fs.readFileSync(todos())
    const changed = Buffer.from(bytes)
    changed[changed.length >> 1] ^= 1
    const missing = Buffer.concat([bytes.subarray(0, bytes.indexOf(10) + 1), bytes.subarray(bytes.indexOf(10, bytes.indexOf(10) + 1) + 1)])
    const file = path.join(out, 'damaged.jsonl')
    for (const [content, reason] of [[bytes.subarray(0, -1), /cut short/], [bytes.subarray(0, bytes.length >> 1), /cut short/], [changed, /checksum/], [missing, /lines, not/], [Buffer.from('{}\n'), /no file of potoroo export/], [Buffer.alloc(0), /no file of potoroo export/]]) {
      fs.writeFileSync(file, content)
      await withImported([file], async ({ code, stdout, stderr }, folder) => {
        assert.deepEqual([code, stdout], [1, ''])
        assert.match(stderr, reason)
        const origin = (await (await folder.start()).started).replace(/\/$/, '')
        assert.equal(await text(`${origin}/_all_dbs`), '["_replicator","_users"]\n')
      })
    }
    fs.rmSync(file)
  })

  it('says what cannot be, and writes nothing', async () => {
    const to = path.join(out, 'nothing')
    for (const [words, reason] of [
      [['nothing', '--to', to, '--server', from], /^potoroo: there is no database nothing$/m],
      [['--to', `${to}.jsonl`, '--server', from], /is for one database/],
      [['--to', to, '--server', url], /wants the name and password of an administrator: have them in/],
      [['--to', to, '--data', origin.path], /in use by another process; stop the server, or name it with --server/],
      [['--to', to, '--data', path.join(out, 'all')], /has files of potoroo export, and is no data folder/]
    ]) {
      const { code, stderr } = await potoroo('export', ...words)
      assert.equal(code, 1)
      assert.match(stderr, reason)
    }
    assert.ok(!fs.readdirSync(out).some(name => name.startsWith('nothing') || name.startsWith('.potoroo')))
  })

  it('leaves nothing half written when it is stopped, or when the server goes away', async () => {
    const whole = await (await fetch(`${url}/_backup`, { headers: { authorization } })).arrayBuffer()
    let end = () => {}
    const server = http.createServer((request, response) => {
      response.write(Buffer.from(whole, 0, 3_000_000))
      end = () => response.destroy()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const place = path.join(out, 'stopped')
    fs.mkdirSync(place)
    const { port } = /** @type {any} */ (server.address())
    for (const [stop, code] of [[child => child.kill('SIGINT'), 130], [() => end(), 1]]) {
      const asked = once(server, 'request')
      const child = spawn(process.execPath, [program, 'export', '--to', path.join(place, 'all'), '--server', `http://127.0.0.1:${port}`])
      const closed = once(child, 'close')
      await asked
      assert.equal(fs.readdirSync(place).length, 1)
      stop(child)
      assert.equal((await closed)[0], code)
      assert.deepEqual(fs.readdirSync(place), [])
    }
    server.closeAllConnections()
    server.close()
  })
})

'use strict'

const assert = require('node:assert')
const fs = require('node:fs')
const path = require('node:path')
const { DataFolder, admin } = require('./data-folder')
const { HttpClient } = require('./http-client')

describe('the log of a server', () => {
  let folder, file

  beforeEach(() => {
    folder = new DataFolder('classic-level')
    file = path.join(folder.path, 'logs/potoroo.log')
    fs.appendFileSync(path.join(folder.path, 'potoroo.ini'), '\n[log]\nwriter = file\nfile = logs/potoroo.log\nlevel = warning\n')
  })

  afterEach(() => folder.remove())

  const level = (client, value) => client.ask('PUT', '/_node/_local/_config/log/level', value)

  it('has what [log] says, from the request after on, in a file that SIGHUP opens again', async () => {
    const server = await folder.start()
    const client = new HttpClient(await server.started, admin)
    await client.ask('GET', '/_up?unheard')
    await level(client, 'notice')
    await client.ask('GET', '/_up?heard')
    await level(client, 'notice')
    fs.renameSync(file, `${file}.1`)
    process.kill(server.pid, 'SIGHUP')
    while (!fs.existsSync(file)) await client.ask('GET', '/_up?meanwhile')
    await client.ask('GET', '/_up?after')
    await server.end('SIGTERM')
    const [older, newer] = [`${file}.1`, file].map(name => fs.readFileSync(name, 'utf8'))
    assert.match(older, /^\[notice\] .* anna GET \/_up\?heard 200 ok \d+\.\d$/m)
    assert.doesNotMatch(older, /unheard|after/)
    assert.match(newer, /GET \/_up\?after 200 ok/)
    assert.match(newer, / Closing\n.* Closed\n$/)
    assert.ok(!(older + newer).includes(admin.password))
  })

  it('says at the start what it serves, where that is wanted', async () => {
    fs.appendFileSync(path.join(folder.path, 'potoroo.ini'), 'level = notice\nformat = json\n')
    const server = await folder.start()
    const url = await server.started
    await server.end('SIGTERM')
    const entries = fs.readFileSync(file, 'utf8').trim().split('\n').map(line => JSON.parse(line))
    assert.match(entries[0].msg, /^Potoroo \S+, storage: classic-level in /)
    assert.strictEqual(entries[1].msg, `Listening on ${url}`)
  })

  it('cannot be sent elsewhere over HTTP', async () => {
    const server = await folder.start()
    const client = new HttpClient(await server.started, admin)
    const { status, body } = await client.request('PUT', '/_node/_local/_config/log/file', '/tmp/elsewhere')
    assert.deepStrictEqual([status, body], [400, { error: 'bad_request', reason: 'Invalid configuration value: [log] file is set in the ini file only' }])
    assert.strictEqual((await client.request('PUT', '/_node/_local/_config/log/level', 'loud')).status, 400)
  })
})

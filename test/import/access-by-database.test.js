'use strict'

const assert = require('node:assert/strict')
const { execFile } = require('node:child_process')
const path = require('node:path')
const { DataFolder, admin } = require('../end-to-end/data-folder')
const { HttpClient } = require('../end-to-end/http-client')

const program = path.resolve(__dirname, '../../server/bin/potoroo.js')
const userdb = name => `userdb-${Buffer.from(name).toString('hex')}`

/** @returns {Promise<{ code: number, stdout: string, stderr: string }>} */
function potoroo (...words) {
  return new Promise(resolve => {
    execFile(process.execPath, [program, ...words], (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }))
  })
}

describe('potoroo import --access-by-database', function () {
  this.timeout(600_000)
  let origin, folder, there, source

  before(async () => {
    origin = new DataFolder('classic-level')
    const url = await (await origin.start()).started
    source = url.replace('//', `//${admin.name}:${encodeURIComponent(admin.password)}@`)
    there = new HttpClient(url, admin)
    for (const name of ['tom', 'ann']) {
      await there.ask('PUT', `/_users/org.couchdb.user:${name}`, { name, password: name, type: 'user', roles: name === 'ann' ? ['staff'] : [] })
      await there.ask('PUT', `/${userdb(name)}`)
      await there.ask('PUT', `/${userdb(name)}/_security`, { admins: { names: [name] }, members: { names: [name] } })
      await there.ask('POST', `/${userdb(name)}/_bulk_docs`, { docs: [{ _id: `${name} 1`, of: name }, { _id: 'milk', of: name }, { _id: '_design/app', views: { v: { map: `function (doc) { emit('${name}') }` } } }] })
      await there.ask('PUT', `/${userdb(name)}/_local/mine`, { of: name })
    }
    const revisions = ['a', 'b'].map(digit => ({ _id: 'tom 2', _rev: `1-${digit.repeat(32)}`, digit, _attachments: { file: { content_type: 'text/plain', data: Buffer.from(digit).toString('base64') } } }))
    await there.ask('POST', `/${userdb('tom')}/_bulk_docs`, { new_edits: false, docs: revisions })
    const { rev } = await there.ask('PUT', `/${userdb('tom')}/gone`, { of: 'tom' })
    await there.ask('DELETE', `/${userdb('tom')}/gone?rev=${rev}`)
    await there.ask('PUT', '/team')
    await there.ask('PUT', '/team/_security', { admins: { roles: ['_admin'] }, members: { names: ['tom', 'role:readers'], roles: ['staff'] } })
    await there.ask('PUT', '/team/plan', { of: 'team' })
  })
  after(() => origin.remove())

  beforeEach(() => { folder = new DataFolder('classic-level') })
  afterEach(() => folder.remove())

  const into = () => ['--data', folder.path, '--storage', 'classic-level', '--allow-volatile']
  const bring = (...words) => potoroo('import', source, 'all', '--access-by-database', ...into(), ...words)

  /** Lists the documents that a user sees in a server on the folder. */
  async function seenBy (name) {
    const server = await folder.start()
    try {
      const as = new HttpClient(await server.started, { name, password: name })
      return (await as.ask('GET', '/all/_all_docs?include_docs=true')).rows.map(({ id, doc: { of, digit } }) => `${id}: ${of ?? digit}`)
    } finally {
      await server.end('SIGTERM')
    }
  }

  it('lists the databases that it takes', async () => {
    const { code, stdout } = await bring('--dry-run')
    assert.equal(code, 0)
    assert.deepEqual(stdout.trim().split('\n').map(line => line.replace(/.*\/(.*) → /, '$1 → ')), [`${userdb('ann')} → all`, `${userdb('tom')} → all`])
  })

  it('makes one database in which each sees what was theirs, and tells of ids that two have', async () => {
    await potoroo('import', `${source}/_users`, ...into())
    const { code, stdout, stderr } = await bring()
    assert.equal(code, 2, stdout + stderr)
    assert.match(stdout, new RegExp(`^${userdb('ann')}: 2 documents with 2 leaf revisions, .*nothing skipped, for ann; 1 design document and 1 local document left behind$`, 'm'))
    assert.match(stdout, new RegExp(`^${userdb('tom')}: 3 documents with 4 leaf revisions, 2 attachments .*1 SKIPPED, for tom; 1 design document and 1 local document left behind$`, 'm'))
    assert.match(stderr, /skipped "milk" 1-\w+: .*another database/)
    assert.deepEqual(await seenBy('tom'), ['tom 1: tom', 'tom 2: b'])
    assert.deepEqual(await seenBy('ann'), ['ann 1: ann', 'milk: ann'])
  })

  it('has ids begin with the user\'s name, so that all come over, and goes on', async () => {
    await potoroo('import', `${source}/_users`, ...into())
    for (const words of [[], ['--verify'], []]) {
      const { code, stdout, stderr } = await bring('--prefix-ids', '--databases', '*e*', ...words)
      assert.equal(code, 0, stdout + stderr)
      if (!words.includes('--verify')) assert.match(stdout, /^team: .*, for tom, the role staff$/m)
    }
    assert.deepEqual(await seenBy('ann'), ['ann:ann 1: ann', 'ann:milk: ann', 'team:plan: team'])
    assert.deepEqual(await seenBy('tom'), ['team:plan: team', 'tom:milk: tom', 'tom:tom 1: tom', 'tom:tom 2: b'])
  })

  it('finds what is not as it is there, and what is more', async () => {
    await bring('--prefix-ids')
    assert.match((await bring('--verify', '--prefix-ids')).stdout, /^all: has nothing more$/m)
    const server = await folder.start()
    const here = new HttpClient(await server.started, admin)
    await here.ask('PUT', '/all/new', { _access: ['tom'] })
    const { _rev } = await here.ask('GET', '/all/tom:milk')
    await here.ask('PUT', '/all/tom:milk', { _rev, of: 'tom', _access: ['ann'] })
    await server.end('SIGTERM')
    const { code, stdout, stderr } = await bring('--verify', '--prefix-ids')
    assert.equal(code, 2, stdout + stderr)
    assert.match(stderr, /"tom:milk" 1-\w+ is missing/)
    assert.match(stderr, /"new" 1-\w+ is only here/)
    assert.match(stdout, /^all: has 2 leaf revisions MORE$/m)
  })

  it('goes into a server that runs, with the design documents of one', async () => {
    const url = await (await folder.start()).started
    const to = ['--server', url.replace('//', `//${admin.name}:${encodeURIComponent(admin.password)}@`)]
    for (const words of [[], ['--verify']]) {
      const { code, stdout, stderr } = await potoroo('import', source, 'all', '--access-by-database', '--prefix-ids', '--design-documents-of', userdb('tom'), ...to, ...words)
      assert.equal(code, 0, stdout + stderr)
    }
    const here = new HttpClient(url, admin)
    assert.deepEqual((await here.ask('GET', '/all/tom:milk'))._access, ['tom'])
    assert.match((await here.ask('GET', '/all/_design/app')).views.v.map, /'tom'/)
    assert.deepEqual((await here.ask('GET', '/all/_security')).members.names.sort(), ['ann', 'tom'])
    assert.equal((await here.ask('GET', '/all')).props.access, true)
  })

  it('refuses a database that would show all to all', async () => {
    const server = await folder.start()
    await new HttpClient(await server.started, admin).ask('PUT', '/all')
    await server.end('SIGTERM')
    const { code, stderr } = await bring()
    assert.equal(code, 1)
    assert.match(stderr, /all has no access by document/)
    assert.match((await potoroo('import', source, '--access-by-database', ...into())).stderr, /needs the name/)
    assert.match((await bring('--databases', 'nothing*')).stderr, /no database whose name matches nothing\*/)
  })
})

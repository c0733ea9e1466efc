'use strict'

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const { mkdtempSync, rmSync } = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { start } = require('../server')
const { People } = require('./people')

describe('shared lists', function () {
  this.timeout(300_000)
  let server, people, tom, ann, groceries

  before(async () => {
    server = await start({ storage: 'memory', config: { chttpd_auth: { iterations: 10 } } })
    people = await People.open(server.url)
    ;[tom, ann] = [await people.signUp('tom'), await people.signUp('ann')]
  })
  after(async () => {
    await people?.close()
    await server?.close()
  })

  it('are for nobody else before they are shared', async () => {
    await tom.addList('Presents')
    await tom.addItem('Presents', 'a bicycle for Ann')
    await tom.inStep()
    await ann.addList('Groceries')
    await ann.inStep()
    await ann.seesNothingOf('bicycle')
    const ids = await ann.ids()
    assert.equal(ids.length, 1)
    groceries = ids[0]
  })

  it('come to a friend, and both change them', async () => {
    await ann.addItem('Groceries', 'milk')
    await ann.inStep()
    await ann.share('Groceries', 'tom')
    await tom.sees('milk')
    await tom.tick('milk')
    await ann.page.locator('.done', { hasText: 'milk' }).waitFor()
    await tom.addItem('Groceries', 'bread')
    await ann.sees('bread')
    await ann.seesNothingOf('bicycle')
  })

  it('tell who did what', async () => {
    await ann.item('milk').getByText('History').click()
    await ann.item('milk').getByText('tom: done').waitFor()
    await ann.item('milk').getByText('app: shared').waitFor()
  })

  it('say why they cannot be shared', async () => {
    await ann.list('Groceries').locator('.share input').fill('nobody')
    await ann.list('Groceries').locator('.share button').first().click()
    await ann.sees('Nobody is called nobody.')
  })

  it('are shared by nobody who does not see them', async () => {
    const key = (await tom.ids()).find(id => id.startsWith('list:') && id !== groceries).slice(5)
    const reason = await ann.page.evaluate(key => window.ask(`db/_app/lists/${key}/share`, { body: { name: 'ann' } }).catch(error => error.message), key)
    assert.equal(reason, 'There is no such list.')
    await ann.seesNothingOf('bicycle')
  })

  it('work without a network, and with a page that is loaded again', async () => {
    await tom.context.setOffline(true)
    await tom.page.reload()
    await tom.sees('bread')
    await tom.state('offline')
    await tom.addItem('Groceries', 'cheese')
    await ann.addItem('Groceries', 'apples')
    await tom.seesNothingOf('apples')
    await ann.seesNothingOf('cheese')
    await tom.context.setOffline(false)
    await ann.sees('cheese')
    await tom.sees('apples')
  })

  it('ask for the password when the session is over, and keep what was added', async () => {
    await ann.inStep()
    await ann.context.clearCookies()
    await ann.addItem('Groceries', 'pears')
    await ann.state('log in again')
    await ann.sees('cheese')
    await ann.page.fill('#password', 'a secret')
    await ann.page.click('#enter button[value=in]')
    await ann.inStep()
    await tom.sees('pears')
  })

  it('do not say that they are in step while the server is away', async () => {
    const away = path => path.abort()
    await tom.inStep()
    await tom.context.route('**/db/lists/**', away)
    await tom.addItem('Groceries', 'plums')
    await tom.state('offline')
    await tom.context.unroute('**/db/lists/**', away)
    await tom.inStep()
    await ann.sees('plums')
  })

  it('go from the browser of a friend who leaves', async () => {
    await tom.inStep()
    await tom.list('Groceries').locator('.leave').click()
    await tom.loses('Groceries')
    await ann.addItem('Groceries', 'wine')
    await ann.inStep()
    assert.equal((await tom.ids()).filter(id => id.startsWith('item:')).length, 1)
    await ann.sees('cheese')
  })

  it('are found by a word, and those that come meanwhile, too', async () => {
    await ann.page.fill('#search', 'wine')
    await ann.sees('Groceries')
    await ann.page.fill('#search', 'bicycle')
    await ann.loses('Groceries')
    await tom.share('Presents', 'ann')
    await ann.sees('Presents')
    await ann.seesNothingOf('Groceries')
  })
})

describe('the server of the shared lists', () => {
  it('says in one line what keeps it from starting', () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'potoroo-example-'))
    try {
      const { status, stderr } = spawnSync(process.execPath, [path.join(__dirname, '../server.js'), path.join(folder, 'data'), 'foo'], { encoding: 'utf8' })
      assert.equal(status, 1)
      assert.match(stderr, /^[^\n]*(port|tmpfs)[^\n]*\n$/)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

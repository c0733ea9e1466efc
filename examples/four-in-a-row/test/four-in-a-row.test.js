'use strict'

const assert = require('node:assert/strict')
const { spawn, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const { mkdtempSync, rmSync } = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { setTimeout: turn } = require('node:timers/promises')
const { launchChromium } = require('../../../test/support/chromium')
const { Game } = require('../game')

/** The server in a process of its own, which can be killed. */
class Server {
  constructor (folder) { this.folder = folder }

  async start (port = 0) {
    this.child = spawn(process.execPath, [path.join(__dirname, '../server.js'), path.join(this.folder, 'pool'), String(port)], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [text] = await once(this.child.stdout, 'data')
    this.url = /http:\S+/.exec(String(text))[0]
  }

  async kill () {
    this.child.kill('SIGKILL')
    await once(this.child, 'close')
  }

  async startAgain () {
    await this.kill()
    await this.start(new URL(this.url).port)
  }
}

describe('four in a row', function () {
  this.timeout(300_000)
  let folder, server, browser, red, yellow

  before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'potoroo-four-'))
    server = new Server(folder)
    await server.start()
    browser = await launchChromium({ timeout: 120_000 })
    ;[red, yellow] = [await enter('red'), await enter('yellow')]
  })

  after(async () => {
    await browser?.close()
    await server.kill()
    rmSync(folder, { recursive: true })
  })

  async function enter (player) {
    const context = await browser.newContext()
    context.setDefaultTimeout(60_000)
    const page = await context.newPage()
    await page.goto(server.url)
    await page.selectOption('#player', player)
    await sees(page, 'Red begins.')
    return page
  }

  const sees = (page, text) => page.locator('#message', { hasText: text }).waitFor()
  const drop = (page, column) => page.click(`[aria-label="Column ${column}"]`)
  const discs = async page => [await page.locator('i.red').count(), await page.locator('i.yellow').count()]

  it('is played by two, by turns', async () => {
    await drop(red, 1)
    for (const page of [red, yellow]) await sees(page, "It is yellow's turn.")
    await drop(red, 1) // not red's turn
    await drop(yellow, 2)
    for (const page of [red, yellow]) await sees(page, "It is red's turn.")
    assert.deepEqual(await discs(yellow), [1, 1])
  })

  it('goes on after the server was killed, with a move that was made meanwhile', async () => {
    await server.kill()
    await drop(red, 1)
    await server.start(new URL(server.url).port)
    for (const page of [red, yellow]) await sees(page, "It is yellow's turn.")
    await drop(yellow, 2)
    for (const page of [red, yellow]) await sees(page, "It is red's turn.")
    assert.deepEqual(await discs(red), [2, 2])
  })

  it('is won, and begun again', async () => {
    await drop(red, 1)
    await sees(yellow, "It is yellow's turn.")
    await server.startAgain()
    await drop(yellow, 2)
    await sees(red, "It is red's turn.")
    await drop(red, 1)
    for (const page of [red, yellow]) await sees(page, 'red has won.')
    await yellow.click('#new')
    for (const page of [red, yellow]) await sees(page, 'Red begins.')
  })

  it('is changed by no browser itself', async () => {
    const game = await (await fetch(`${server.url}/db/four-in-a-row/game`)).json()
    const put = async (id, doc) => (await fetch(`${server.url}/db/four-in-a-row/${id}`, { method: 'PUT', body: JSON.stringify(doc), headers: { 'Content-Type': 'application/json' } })).status
    assert.equal(await put('cheat', { kind: 'game' }), 403)
    assert.equal(await put('cheat', { kind: 'move' }), 403)
    for (const change of [{ turn: 'red' }, { kind: 'move' }, { _deleted: true }, { kind: 'move', _deleted: true }]) assert.equal(await put('game', { ...game, ...change }), 403)
    assert.equal((await fetch(`${server.url}/db/four-in-a-row/game?rev=${game._rev}`, { method: 'DELETE' })).status, 403)
  })

  it('waits with a move that cannot be played yet', async () => {
    const headers = { authorization: `Basic ${btoa('app:only to try it out')}`, 'content-type': 'application/json' }
    const ask = (name, method = 'GET', body = undefined) => fetch(`${server.url}/db/four-in-a-row/${name}`, { method, headers, body: JSON.stringify(body) })
    const { _rev, ...game } = await (await ask('game')).json()
    await ask(`game?rev=${_rev}`, 'DELETE')
    await ask('move:1', 'PUT', { kind: 'move', player: game.turn, column: 6 })
    await ask('game', 'PUT', game)
    while ((await ask('move:1')).status === 200) await turn(100)
    assert.deepEqual((await (await ask('game')).json()).columns[6], [...game.columns[6], game.turn])
  })
})

describe('the rules of four in a row', () => {
  const play = columns => {
    const game = new Game()
    for (const column of columns) game.drop(game.turn, column)
    return game.message
  }

  it('know all four directions, a full column and a draw', () => {
    assert.equal(play([0, 0, 1, 1, 2, 2, 3]), 'red has won.')
    assert.equal(play([0, 1, 0, 1, 0, 1, 0]), 'red has won.')
    assert.equal(play([0, 1, 1, 2, 2, 3, 2, 3, 3, 6, 3]), 'red has won.')
    assert.equal(play([3, 2, 2, 1, 1, 0, 1, 0, 0, 6, 0]), 'red has won.')
    assert.equal(play([0, 0, 0, 0, 0, 0, 0]), "It is red's turn.")
    assert.equal(play([-1, 7, 0.5, 'length', 'push', '__proto__', '0', null, {}]), 'Red begins.')
    assert.equal(play([...'034655621364306035500130241443266525121421'].map(Number)), 'Nobody has won.')
  })
})

describe('the server of four in a row', () => {
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

'use strict'

const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const seedrandom = require('seedrandom')
const { DocumentStore } = require('../..')
const { assertIntegrity } = require('../integrity')
const { Ledger } = require('./ledger')
const { openLevel } = require('./level-on-disk')
const { changesOf, statesOf } = require('./subjects')

/** How many processes are killed on each storage; or for how long that goes on. */
const ROUNDS = 20
const SECONDS = process.env.CRASH_SECONDS
const MAX_EVENTS = 100

/** A process that is ready to work, and told to do so and killed by `kill`. */
class Victim {
  #child

  constructor (kind, folder, seed) {
    const script = path.join(__dirname, 'load-until-killed.js')
    this.#child = spawn(process.execPath, [script, kind, folder, seed], { stdio: ['pipe', 'pipe', 'inherit'] })
    this.exit = once(this.#child, 'exit')
  }

  /** Kills it once it has told this number of events, in the middle of its work; returns all of them. */
  async kill (events) {
    this.#child.stdin.write('go\n')
    let text = ''
    let lines = 0
    this.#child.stdout.setEncoding('utf8').on('data', (part) => {
      text += part
      lines += part.split('\n').length - 1
      if (lines >= events) this.#child.kill('SIGKILL')
    })
    await once(this.#child.stdout, 'close')
    const [, signal] = await this.exit
    assert.equal(signal, 'SIGKILL')
    return text.split('\n').slice(0, -1).map((line) => JSON.parse(line)) // the last line may be cut off
  }

  /** For one that is not needed. */
  async end () {
    this.#child.kill('SIGKILL')
    await this.exit
  }
}

async function verify (kind, folder, ledger) {
  const level = openLevel(kind, folder)
  await level.open()
  const store = await DocumentStore.open(level)
  ledger.assertSequences(await changesOf(store), store.updateSeq, await store.purges())
  ledger.settle(await statesOf(store, ledger.subjects))
  await store.close()
  await assertIntegrity(level)
  await level.close()
}

for (const kind of ['classic-level', 'pmem-level']) {
  describe(`a process killed while it writes, on ${kind}`, function () {
    this.timeout(600_000 + 1000 * Number(SECONDS ?? 0))
    let folder

    beforeEach(() => {
      const parent = kind === 'pmem-level' && fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir()
      folder = fs.mkdtempSync(path.join(parent, 'document-store-crash-'))
    })

    afterEach(() => fs.rmSync(folder, { recursive: true, force: true }))

    it('loses no acknowledged write and leaves nothing half done', async () => {
      const seed = process.env.CRASH_SEED ?? String(Math.random())
      const random = seedrandom(seed)
      const ledger = new Ledger()
      const end = Date.now() + Number(SECONDS) * 1000
      const goesOn = () => SECONDS === undefined ? round < ROUNDS : Date.now() < end
      let round = 0
      let next = new Victim(kind, folder, seed + round)
      try {
        while (goesOn()) {
          const victim = next
          next = new Victim(kind, folder, seed + ++round) // it starts while this one works and is judged
          for (const event of await victim.kill(1 + Math.floor(random() * MAX_EVENTS))) ledger.note(event)
          await verify(kind, folder, ledger)
        }
      } catch (error) {
        error.message += ` (in round ${round}, with CRASH_SEED=${seed})`
        throw error
      } finally {
        await next.end()
      }
      if (SECONDS !== undefined) console.log(`      ${round} rounds`)
    })
  })
}

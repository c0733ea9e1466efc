'use strict'

const assert = require('node:assert')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')

const bin = path.join(__dirname, '../bin')

/** Returns the line that a program says when it refuses. @param {string[]} words */
function refusal (...[program, ...words]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(bin, program), ...words], { encoding: 'utf8', timeout: 60_000 })
  assert.deepStrictEqual([status, stdout], [1, ''], `${program} ${words.join(' ')}: ${stderr}`)
  assert.match(stderr, /^.+\n$/, program)
  return stderr
}

describe('programs that measure', function () {
  this.timeout(120_000)

  // Arguments of engine.js are those of the engine's own bench.
  for (const program of fs.readdirSync(bin).filter(name => name !== 'engine.js')) {
    it(`refuse an option that they do not have, in a sentence: ${program}`, () => {
      assert.match(refusal(program, '--nonsense'), /^Unknown option '--nonsense'/)
    })
  }

  it('say what there is if nothing is chosen', () => {
    for (const [words, there] of Object.entries({
      'access.js --only nonsense': 'access; database each',
      'adaptive.js nonsense': 'by id; ',
      'attachments.js --only nonsense': 'pmem document store; pmem PouchDB; ',
      'cores.js --only nonsense': 'get a document; ',
      'memory.js --only nonsense': 'pmem; classic-level',
      'perf.js --only nonsense': 'level/',
      'requests.js --only nonsense': 'get a document; ',
      'requests.js --servers nonsense': 'potoroo',
      'stalls.js --only nonsense': '; '
    })) {
      const said = refusal(...words.split(' '))
      assert.match(said, /nonsense/)
      assert.ok(said.includes(there), said)
    }
  })

  it('refuse values that are no pattern, number or medium', () => {
    assert.match(refusal('perf.js', '--only', '('), /^--only: Invalid regular expression/)
    assert.match(refusal('perf.js', '--only', 'level/get', '--rounds', 'few'), /^--rounds takes a number, not "few"/)
    assert.match(refusal('perf.js', '--only', 'level/get', '--rounds', '0'), /^--rounds takes a number above 0/)
    assert.match(refusal('perf.js', '--media', 'tape'), /^--media takes tmpfs and disk, not tape/)
    assert.match(refusal('soak.js', '--seconds', 'few'), /^--seconds takes a number, not "few"/)
    assert.match(refusal('growth.js', '--feeds', '1,few'), /^--feeds takes a number, not "few"/)
    assert.match(refusal('vectors.js', 'few'), /^COUNT takes a number, not "few"/)
    assert.match(refusal('disks.js', '/dev/shm', '--states', 'old'), /^--states takes new, warm, cold, churned, not old/)
  })
})

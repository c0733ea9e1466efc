'use strict'

const assert = require('node:assert')
const { readFileSync, writeFileSync } = require('node:fs')
const path = require('node:path')
const { temporaryFolder } = require('../temporary-folder')
const { commandOf } = require('./example-command')

describe('examples/midi: the command', () => {
  const folder = temporaryFolder()
  let run
  let tune
  beforeEach(async () => {
    run = commandOf('midi/midi.js', folder.next())
    tune = path.join(folder.path, 'tune.mid')
    assert.strictEqual(await printed('generate', tune, '--seed', '7', '--size', '40000'), `${tune}: 40206 bytes\n`)
  })

  async function printed (...words) {
    const { code, stdout, stderr } = await run(...words)
    assert.deepStrictEqual([code, stderr], [0, ''])
    return stdout
  }

  it('imports, shows and exports', async () => {
    assert.strictEqual(await printed('list'), 'There is no song yet.\n')
    const line = 'tune: format 1, 4 tracks, 136.0 bpm, 21:47, 40206 bytes\n'
    assert.strictEqual(await printed('import', tune), line)
    assert.strictEqual(await printed('list'), line)
    assert.match(await printed('show', 'tune'), /track 1 "Opus 7": 0 notes\n {2}track 2 "Lead 1": 1904 notes on channel 1\n/)
    const copy = path.join(folder.path, 'copy.mid')
    assert.strictEqual(await printed('export', 'tune', copy), `${copy}: 40206 bytes\n`)
    assert.deepStrictEqual(readFileSync(copy), readFileSync(tune))
    assert.strictEqual(await printed('remove', 'tune'), 'tune is gone.\n')
    assert.strictEqual(await printed('list'), 'There is no song yet.\n')
  })

  it('edits', async () => {
    await printed('import', tune)
    assert.match(await printed('rename', 'tune', '2', 'Flute'), /^tune, track 2, "Flute": 6 of 40206 bytes set, 6 saved before\n$/)
    assert.match(await printed('tempo', 'tune', '68'), /^tune, 68\.0 bpm, now 43:35: 27 of 40206 bytes set/)
    assert.match(await printed('transpose', 'tune', '2', '-3'), /^tune, track 2, by -3: 3808 of 40206 bytes set/)
    assert.match(await printed('velocity', 'tune', '3', '100'), /^tune, track 3, velocity 100: 1904 of 40206 bytes set/)
    assert.match(await printed('show', 'tune'), /track 2 "Flute"[^]*rename track 2 to Flute: 6 bytes\n[^]*tempo 68: 27 bytes\n/)
  })

  it('says what is wrong', async () => {
    const broken = path.join(folder.path, 'broken.mid')
    writeFileSync(broken, readFileSync(tune).subarray(0, 1000))
    assert.deepStrictEqual(await run('import', broken), { code: 1, stdout: '', stderr: 'midi: The file or track ends too early: 13352 bytes are wanted, 877 are left (at byte 123)\n' })
    assert.deepStrictEqual(await run('show', 'tune'), { code: 1, stdout: '', stderr: 'midi: There is no song "tune"\n' })
    const { code, stderr } = await run('transpose', 'tune', '2', 'up')
    assert.strictEqual(code, 1)
    assert.match(stderr, /must be a whole number|must be a number/)
  })
})

'use strict'

// `npm run test:power`: power cuts on media of their own. README.md says what it needs.

const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { parseArgs } = require('node:util')
const { missing } = require('./requirements')

const HELP = `npm run test:power -- [disk | machine | look FOLDER] [options]

  disk          images of a disk whose power failed, mounted and looked at
  machine       a virtual machine with persistent memory
  look FOLDER   one image again that was kept because it showed a fault
without any of them: disk, and then machine

  --images N    how many images, about (2200)
  --kills N     how many times the machine is killed (50)
  --only WORD   trials whose name has that word in it: pmem, relaxed, encrypted, leveldb, server, xfs, …
  --seed WORD   for the random choices (the time of day)
  --keep DIR    where images go that show a fault (./power-faults)
  --figures FILE  where the figures go, too`

const OPTIONS = /** @type {const} */ ({
  images: { type: 'string', default: '2200' },
  kills: { type: 'string', default: '50' },
  only: { type: 'string', default: '' },
  seed: { type: 'string', default: '' },
  keep: { type: 'string', default: 'power-faults' },
  figures: { type: 'string', default: '' },
  help: { type: 'boolean', default: false }
})

const PARTS = { disk: 'disk', machine: 'machine', look: 'disk' }

/** Runs a part in a namespace of its own, with which its mounts and processes go away. */
function runPart (part, words, options) {
  const lack = missing(part)
  if (lack !== undefined) {
    console.log(`test:power ${part} cannot run here: ${lack}.`)
    return 1
  }
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-power-'))
  const settings = JSON.stringify({ ...options, scratch, keep: path.resolve(options.keep), seed: options.seed || new Date().toISOString() })
  try {
    const { status } = spawnSync('unshare', ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc',
      process.execPath, path.join(__dirname, PARTS[part]), part, settings, ...words], { stdio: 'inherit' })
    return status ?? 1
  } finally {
    fs.rmdirSync(scratch)
  }
}

function main () {
  const { values: options, positionals: [part, ...words] } = parseArgs({ options: OPTIONS, allowPositionals: true })
  if (options.help) return console.log(HELP)
  if (part !== undefined && PARTS[part] === undefined) throw new Error(`There is no ${part}.\n\n${HELP}`)
  const parts = part === undefined ? ['disk', 'machine'] : [part]
  process.exitCode = Math.max(...parts.map(name => runPart(name, words, options)))
}

main()

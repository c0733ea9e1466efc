'use strict'

const fs = require('node:fs')
const path = require('node:path')
const seedrandom = require('seedrandom')
const { run } = require('../disk/mounts')
const { printTable } = require('../table')
const { findKernel, makeInitialRoot } = require('./kernel')
const { VirtualMachine, hasKvm } = require('./virtual-machine')

const root = path.resolve(__dirname, '../../..')
const TYPES = /** @type {const} */ (['ext4', 'xfs'])
/** Processes that are killed in a boot before the machine is. */
const LIVES = 3

async function main () {
  const options = JSON.parse(process.argv[3])
  await run('mount', ['-t', 'tmpfs', '-o', 'size=8g', 'tmpfs', options.scratch])
  const kernel = findKernel(path.join(root, 'build/power-kernel'))
  const initialRoot = path.join(options.scratch, 'initial-root.gz')
  makeInitialRoot(kernel, path.join(options.scratch, 'initial-root'), initialRoot)
  console.log(`machines with Debian's kernel ${kernel.version}, ${hasKvm() ? 'KVM' : 'translated by QEMU'}`)
  const boots = Math.ceil(options.kills / TYPES.length)
  const types = TYPES.filter(type => type.includes(options.only))
  const results = await Promise.all(types.map(type => new Machine(type, boots, { kernel: kernel.image, initialRoot }, options).run()))
  say(results, options)
}

/** One machine with a DAX file system, over all its boots. */
class Machine {
  #type
  #boots
  #files
  #random
  #result

  constructor (type, boots, { kernel, initialRoot }, { scratch, seed }) {
    const share = path.join(scratch, type)
    fs.mkdirSync(share)
    this.#type = type
    this.#boots = boots
    this.#files = { kernel, initialRoot, share, nvdimm: path.join(scratch, `${type}.nvdimm`) }
    this.#random = seedrandom(`${seed} ${type}`)
    this.#result = { type, processKills: 0, machineKills: 0, suite: 0, steps: 0, size: 0, evidence: /** @type {any} */ ({}), violations: /** @type {string[]} */ ([]) }
    fs.writeFileSync(path.join(share, 'settings'), JSON.stringify({ seed, lives: boots * LIVES }))
  }

  async run () {
    await this.#first()
    for (let boot = 1; boot <= this.#boots + 1 && this.#result.violations.length === 0; boot++) await this.#live(boot)
    return this.#result
  }

  /** Makes the file system, looks at how it is mapped, and runs the suites. */
  async #first () {
    const result = this.#result
    const machine = this.#boot('first')
    for await (const told of machine.told()) Object.assign(result.evidence, told)
    const { evidence } = result
    this.#demand(evidence.mounted?.includes('dax=always'), `no DAX file system: ${machine.output}`)
    this.#demand(evidence.isPmem === true && evidence.mappings > 0 && evidence.mappings === evidence.synchronous, `a mapping is not synchronous: ${JSON.stringify(evidence)}`)
    this.#demand(evidence.flushes === 0, `commits flush files: ${JSON.stringify(evidence)}`)
    const suite = this.#read('suite')
    result.suite = Number(/^# pass +(\d+)/m.exec(suite)?.[1] ?? 0)
    this.#demand(evidence.suite === 0 && result.suite > 0, `abstract-level's suite: ${suite.slice(-2000)}`)
    console.log(`${this.#type}: ${JSON.stringify(evidence)}, ${result.suite} assertions of abstract-level's suite`)
  }

  /** Boots, looks at what the boot before has left, writes, and is killed; the last one only looks. */
  async #live (boot) {
    const result = this.#result
    const machine = this.#boot(String(boot))
    let looked = 0
    for await (const told of machine.told()) {
      if (told.violation ?? told.failed) this.#demand(false, `boot ${boot}: ${told.violation ?? machine.output}`)
      if (told.killed !== undefined) result.processKills++
      if (told.keys !== undefined) {
        looked++
        result.steps += told.steps ?? 0
        result.size = told.size
      }
      if (told.loading !== undefined) setTimeout(() => machine.kill(), 500 + this.#random() * 4000)
    }
    this.#demand(looked === (boot <= this.#boots ? LIVES : 1), `boot ${boot} looked ${looked} times: ${machine.output}`)
    if (boot <= this.#boots) result.machineKills++
    console.log(`${this.#type}: ${result.processKills} kills of processes, ${result.machineKills} of the machine, ${result.steps} steps found, pool of ${result.size >> 20} MiB`)
  }

  #boot (phase) {
    const words = [phase, this.#type, process.execPath].map(word => `'${word}'`).join(' ')
    fs.writeFileSync(path.join(this.#files.share, 'start'), `exec sh '${path.join(__dirname, 'guest.sh')}' ${words}\n`)
    return new VirtualMachine(this.#files)
  }

  #read (name) {
    const file = path.join(this.#files.share, name)
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''
  }

  #demand (condition, violation) {
    if (condition) return
    this.#result.violations.push(violation)
    console.log(`\n  ${this.#type}: ${violation}`)
  }
}

function say (results, { figures }) {
  const rows = results.map(({ type, evidence, suite, processKills, machineKills, steps, size, violations }) => [
    type, `${evidence.synchronous} of ${evidence.mappings}`, `${evidence.flushes} in ${evidence.commits}`, suite, processKills, machineKills, steps, `${size >> 20} MiB`, violations.length].map(String))
  const text = printTable(['', 'synchronous mappings', 'flushes of files in commits', "abstract-level's suite", 'kills of processes', 'of the machine', 'steps found', 'pool', 'violations'], rows).join('\n')
  console.log(`\n${text}`)
  if (figures !== '') fs.writeFileSync(`${figures}.machine`, `${text}\n`)
  if (results.some(({ violations }) => violations.length > 0)) process.exitCode = 1
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})

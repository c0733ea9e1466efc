'use strict'

const { importPart, onlyThere, verifyPart } = require('@potoroo/import')
const { Progress } = require('./progress')
const { describeImport, describeVerdict, several } = require('./words')

/** Databases of couch_peruser. */
const PER_USER = 'userdb-*'

/**
 * @typedef {import('./run-import').ImportCommand} ImportCommand
 * @typedef {import('./run-import').Found} Found
 * @typedef {import('./report').Report} Report
 */

/**
 * Databases that become one, whose documents say who may read and write them: `--access-by-database`.
 */
class Parts {
  #command
  #target
  #people = { names: /** @type {Set<string>} */ (new Set()), roles: /** @type {Set<string>} */ (new Set()) }
  /** @type {Set<string> | undefined} */
  #known

  /** @param {ImportCommand} command @param {any} target that has access by document */
  constructor (command, target) {
    this.#command = command
    this.#target = target
    if (command.verify) this.#known = new Set()
  }

  /**
   * @param {Found} found
   * @param {Report} report
   * @returns {Promise<boolean>} whether all is as it is there
   */
  async one ({ name, open }, report) {
    const { prefixIds, designDocumentsOf, verify } = this.#command
    const source = await open()
    const progress = new Progress(this.#command.stderr, name)
    try {
      const options = { prefixIds, designs: name === designDocumentsOf, known: this.#known }
      return await this.#run(source, options, { verify, progress, report })
    } finally {
      progress.stop()
      await source.close()
    }
  }

  /** @param {any} source @param {object} options @param {{ verify?: boolean, progress: Progress, report: Report }} to */
  async #run (source, options, { verify, progress, report }) {
    const { signal } = this.#command
    const onProgress = (/** @type {any} */ state) => progress.update(state)
    if (verify) {
      const differences = report.differences()
      const { verdict, people } = await verifyPart(source, this.#target, { ...options, signal, onProgress, onDifference: differences.add })
      this.#add(people)
      progress.stop()
      report.say(source.name, describeVerdict(verdict))
      return differences.show(verdict.differences)
    }
    const { summary, people, left } = await importPart(source, this.#target, { ...options, signal, onProgress, onNotice: message => progress.say(message) })
    this.#add(people)
    progress.stop()
    report.say(source.name, `${describeImport(summary)}, ${describePeople(people)}${describeLeft(left)}`)
    return report.skipped(summary.skipped)
  }

  /** @param {{ names: string[], roles: string[] }} people */
  #add ({ names, roles }) {
    for (const name of names) this.#people.names.add(name)
    for (const role of roles) this.#people.roles.add(role)
  }

  /**
   * Lets all of them in, besides who may come in already; or looks for what none of the databases has.
   *
   * @param {string} name of the database here
   * @param {Report} report
   * @returns {Promise<boolean>}
   */
  async end (name, report) {
    if (this.#known !== undefined) return this.#compareWhole(name, this.#known, report)
    const { names, roles } = this.#people
    if (names.size + roles.size === 0) return true
    const security = await this.#target.getSecurity() ?? {}
    const union = (/** @type {string} */ kind, /** @type {Set<string>} */ more) => [...new Set([...security.members?.[kind] ?? [], ...more])]
    await this.#target.setSecurity({ ...security, members: { ...security.members, names: union('names', names), roles: union('roles', roles) } })
    return true
  }

  /** @param {string} name @param {Set<string>} known @param {Report} report */
  async #compareWhole (name, known, report) {
    const differences = report.differences()
    let count = 0
    for await (const { id, rev } of onlyThere(this.#target, known)) {
      differences.add({ id, rev, what: 'is only here' })
      count++
    }
    report.say(name, count === 0 ? 'has nothing more' : `has ${several(count, 'leaf revision')} MORE`)
    return differences.show(count)
  }
}

/** @param {{ names: string[], roles: string[] }} people */
function describePeople ({ names, roles }) {
  if (names.length + roles.length === 0) return 'for ADMINISTRATORS ONLY: its _security names nobody'
  return `for ${[...names, ...roles.map(role => `the role ${role}`)].join(', ')}`
}

/** @param {{ designs: number, locals: number }} left */
function describeLeft ({ designs, locals }) {
  const kinds = [...designs > 0 ? [several(designs, 'design document')] : [], ...locals > 0 ? [several(locals, 'local document')] : []]
  return kinds.length === 0 ? '' : `; ${kinds.join(' and ')} left behind`
}

/**
 * Databases whose names match, `*` for any characters, except for the system's.
 *
 * @param {Found[]} databases
 * @param {string} [pattern]
 */
function matching (databases, pattern = PER_USER) {
  const words = pattern.split('*').map(word => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  const expression = new RegExp(`^${words.join('.*')}$`, 's')
  return databases.filter(({ name }) => !name.startsWith('_') && expression.test(name))
}

module.exports = { PER_USER, Parts, matching }

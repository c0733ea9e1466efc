'use strict'

const { routes } = require('../../../server/lib/dispatch/routes')
const { LiveFeed } = require('./live-feed')
const { Picks } = require('./questions/picks')
const { NOT_ASKED, PLAIN, questions } = require('./questions/routes')
const { Sweep } = require('./sweep')
const { Leak, World } = require('./world')

const steps = [...require('./steps/documents'), ...require('./steps/others')]
const changing = steps.map(step => /** @type {[number, typeof step]} */ ([step.weight, step]))

/** @typedef {{ method: string, path: string }} Route */

const keyOf = (/** @type {Route} */ { method, path }) => `${method} ${path}`

/** How a route is covered: by a question, a plain request, or a step; undefined where it is not. @param {Route} route */
function coverOf (route) {
  const key = keyOf(route)
  if (NOT_ASKED.test(key)) return 'other tests'
  if (Object.hasOwn(questions, key)) return 'question'
  if (steps.some(({ covers }) => covers.includes(key))) return 'step'
  return PLAIN.some(pattern => pattern.test(key)) ? 'plain' : undefined
}

const asked = routes.filter(route => ['question', 'plain'].includes(coverOf(route) ?? ''))

const ofDocuments = asked.filter(route => Object.hasOwn(questions, keyOf(route)))

/** A replication notes in the one database that it asks how far it came. */
const isComparable = (/** @type {Route} */ { path }) => path.startsWith('/:db') && !path.includes('_local')

/** A plain request to a route. @param {Route} route @param {Picks} picks */
function plainQuestion ({ method, path }, picks) {
  const values = { db: 'x', ddoc: '_design/all', view: 'ids', name: 'x', local: '_local/shared', doc: picks.plainPath() }
  const filled = path.replace(/:(\w+)\+?/g, (_, name) => values[name] ?? 'x')
  return { path: filled, ...(['POST', 'PUT'].includes(method) && { body: {} }), ...(method === 'COPY' && { headers: { Destination: 'other' } }) }
}

/** Random changes, and after each random questions of random people, whose answers the model and the canaries judge. */
class Program {
  /** @type {LiveFeed[]} */
  #feeds = []

  /** Use `open`. @param {World} world */
  constructor (world) { this.world = world }

  /** @param {string} seed */
  static async open (seed) {
    const program = new Program(await World.open(seed))
    try {
      const { users } = program.world
      for (const [i, kind] of ['continuous', 'eventsource', 'live query'].entries()) program.#feeds.push(await LiveFeed.open(program.world, users[i], kind))
    } catch (error) {
      await program.close()
      throw error
    }
    return program
  }

  /** @param {number} steps */
  async run (steps) {
    for (let i = 0; i < steps; i++) await this.step()
    await this.end()
  }

  /** All copies are brought up to date. */
  async end () {
    for (const { pouch } of this.world.users) await pouch.pull()
  }

  /** @param {number} [questionsEach] */
  async step (questionsEach = 6) {
    const { chance, users } = this.world
    await chance.weighted(changing).run(this.world)
    await this.world.rest()
    // Most routes have nothing of documents.
    for (let i = 0; i < questionsEach; i++) await this.#askSomebody(chance.one(chance.happens(0.8) ? ofDocuments : asked))
    for (let i = 0; i < questionsEach; i++) await this.#compare(chance.one(chance.happens(0.8) ? ofDocuments.filter(isComparable) : asked.filter(isComparable)))
    await new Sweep(this.world, chance.one(users)).run()
    for (const [i, feed] of this.#feeds.entries()) {
      this.world.checkOld(feed.take(), feed.person, `a ${feed.kind} feed`)
      if (feed.isOver) this.#feeds[i] = await LiveFeed.open(this.world, feed.person, feed.kind)
    }
  }

  /** @param {Route} route @param {import('./world').User} person @param {boolean} blind */
  #questionOf (route, person, blind) {
    const picks = new Picks(this.world, person, blind)
    const question = questions[keyOf(route)]
    return { method: route.method, ...(question === undefined ? plainQuestion(route, picks) : question(picks)), inDatabase: question !== undefined }
  }

  /** Anybody asks for anything: nothing is in the answer that is not for them. @param {Route} route */
  async #askSomebody (route) {
    const person = this.world.chance.one(this.world.users)
    const question = this.#questionOf(route, person, false)
    this.world.check(await this.#send(person, question, this.world.databases.whole), person, question)
  }

  /** The observer asks both databases for what is no secret: no difference shows that there are secrets. @param {Route} route */
  async #compare (route) {
    const { databases, observer } = this.world
    const question = this.#questionOf(route, observer, true)
    const [whole, part] = [await this.#send(observer, question, databases.whole), await this.#send(observer, question, databases.part)]
    const texts = [this.world.withoutTokens(whole, databases.whole), this.world.withoutTokens(part, databases.part)]
    if (texts[0] === texts[1]) return
    let at = 0
    while (texts[0][at] === texts[1][at]) at++
    const [one, other] = texts.map(text => text.slice(Math.max(0, at - 200), at + 300))
    throw new Leak(`${question.method} ${question.path} ${JSON.stringify(question.body)} tells the observer (${observer.roles}) of the documents of others:\n${one}\n— and without them:\n${other}`)
  }

  /** @param {any} person @param {any} question @param {string} database */
  #send (person, { inDatabase, path, ...question }, database) {
    return this.world.ask(person, { ...question, path: inDatabase ? `/${database}${path}` : path.replace('/x', `/${database}`) })
  }

  async close () {
    for (const feed of this.#feeds) feed.close()
    await this.world.close()
  }
}

module.exports = { Program, asked, coverOf, keyOf }

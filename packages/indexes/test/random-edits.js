'use strict'

/** Edits of a database by chance. Subclasses say which `id ()` and `body ()` documents have. */
class RandomEdits {
  #store

  /** @param {import('@potoroo/document-store').DocumentStore} store @param {() => number} random from 0 on and below 1 */
  constructor (store, random) {
    this.#store = store
    this.random = random
  }

  below (count) { return Math.floor(this.random() * count) }
  one (list) { return list[this.below(list.length)] }
  chance (share) { return this.random() < share }

  async current (id) { return this.#store.get(id).catch(() => undefined) }

  async put () {
    const id = this.id()
    await this.#store.put({ ...this.body(), _id: id, _rev: (await this.current(id))?.rev })
  }

  async conflict () {
    const rev = `${1 + this.below(3)}-${String(this.below(1e9)).padStart(32, 'c')}`
    await this.#store.write([{ ...this.body(), _id: this.id(), _rev: rev, _deleted: this.chance(0.2) }], { newEdits: false })
  }

  async remove () {
    const current = await this.current(this.id())
    if (current !== undefined) await this.#store.put({ _id: current.id, _rev: current.rev, _deleted: true })
  }

  async purge () {
    const current = await this.current(this.id())
    if (current !== undefined) await this.#store.purge({ [current.id]: [current.rev] })
  }
}

module.exports = { RandomEdits }

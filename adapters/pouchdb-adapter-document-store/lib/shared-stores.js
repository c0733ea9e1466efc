'use strict'

/**
 * @typedef {object} Opened
 * @property {import('@potoroo/document-store').DocumentStore} store
 * @property {() => Promise<void>} close closes the store and what is under it
 * @property {() => Promise<void>} destroy the same, and removes the data
 */

/** @typedef {{ opening: Promise<Opened>, users: number }} Entry users: how many instances have it */

/** The open stores of one kind: instances of the same name share one. */
class SharedStores {
  /** By name. @type {Map<string, Entry>} */
  #open = new Map()
  /** name → the closing or removal that the next one to open has to wait for. @type {Map<string, Promise<void>>} */
  #ending = new Map()

  /**
   * @param {string} name
   * @param {() => Promise<Opened>} open called where there is none yet
   * @returns {Promise<Opened>}
   */
  acquire (name, open) {
    let entry = this.#open.get(name)
    if (entry === undefined) {
      const ended = this.#ending.get(name) ?? Promise.resolve()
      const made = { opening: ended.then(open), users: 0 }
      this.#open.set(name, made)
      made.opening.catch(() => this.#forget(name, made))
      entry = made
    }
    entry.users++
    return entry.opening
  }

  /**
   * Closes the store with its last user.
   *
   * @param {string} name
   * @param {Opened} opened
   */
  release (name, opened) {
    return this.#find(name, opened, (entry) => {
      if (--entry.users === 0) return this.#end(name, entry, () => opened.close())
    })
  }

  /**
   * For all users at once.
   *
   * @param {string} name
   * @param {Opened} opened
   */
  destroy (name, opened) {
    return this.#find(name, opened, (entry) => this.#end(name, entry, () => opened.destroy()))
  }

  /**
   * Another user may have destroyed it, and somebody may have made a new one since.
   *
   * @param {string} name
   * @param {Opened} opened
   * @param {(entry: Entry) => Promise<void> | undefined} use
   */
  async #find (name, opened, use) {
    const entry = this.#open.get(name)
    if (entry !== undefined && await entry.opening === opened && this.#open.get(name) === entry) {
      await use(entry)
    } else {
      await this.#ending.get(name)
    }
  }

  /** @param {string} name @param {Entry} entry @param {() => Promise<void>} end */
  #end (name, entry, end) {
    this.#forget(name, entry)
    const ending = end()
    const settled = ending.catch(() => {}).then(() => {
      if (this.#ending.get(name) === settled) this.#ending.delete(name)
    })
    this.#ending.set(name, settled)
    return ending
  }

  /** @param {string} name @param {Entry} entry */
  #forget (name, entry) {
    if (this.#open.get(name) === entry) this.#open.delete(name)
  }
}

module.exports = { SharedStores }

'use strict'

/**
 * Listeners who want to be told of changes.
 *
 * @typedef {import('..').Written} Written
 * @typedef {{ document: import('./document').Document | undefined, listener: (changes: Written[]) => void }} Watcher
 */
class Watchers {
  /** @type {Set<Watcher>} */
  #all = new Set()

  /**
   * @param {import('./document').Document | undefined} document the one that is watched; undefined: all
   * @param {(changes: Written[]) => void} listener
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {() => void} ends it
   */
  add (document, listener, { signal } = {}) {
    if (typeof listener !== 'function') throw new TypeError('A listener is a function')
    const watcher = { document, listener }
    const end = () => {
      this.#all.delete(watcher)
      signal?.removeEventListener('abort', end)
    }
    if (signal?.aborted) return end
    signal?.addEventListener('abort', end, { once: true })
    this.#all.add(watcher)
    return end
  }

  /** @param {Written[]} changes of one commit */
  tell (changes) {
    for (const watcher of [...this.#all]) {
      const { document, listener } = watcher
      const wanted = document === undefined ? changes : changes.filter(({ id }) => id === document.id)
      // If a listener throws, the others hear of it all the same.
      if (wanted.length > 0) queueMicrotask(() => { if (this.#all.has(watcher)) listener(wanted) })
    }
  }
}

module.exports = { Watchers }

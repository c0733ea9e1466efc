'use strict'

/**
 * The revisions of a document from its first to its winner.
 *
 * @typedef {{ revs: string[], values: number[], whole: boolean, leaves: number }} Chain
 *   whole: the value of each revision is known
 */

const NOTHING = { revs: [], values: [], whole: true, leaves: 0 }

/** Documents of the clients as one server has them when all is over. */
class Final {
  /** @type {Map<string, Chain>} */
  #chains = new Map()

  /**
   * @param {import('../clients/connection').Connection} connection
   * @param {string[]} databases
   */
  static async read (connection, databases) {
    const final = new Final()
    for (const database of databases) await final.#readDatabase(connection, database)
    return final
  }

  /** @returns {Chain} */
  chain (database, document) { return this.#chains.get(`${database}/${document}`) ?? NOTHING }

  get values () { return [...this.#chains.values()].flatMap(({ values }) => values) }

  /** Documents with more than one leaf, though clients named the revision that they changed. @returns {string[]} */
  get branched () { return [...this.#chains].filter(([, { leaves }]) => leaves > 1).map(([name, { leaves }]) => `${name} has ${leaves} leaves`) }

  async #readDatabase (connection, database) {
    const { results } = await connection.done('GET', `/${database}/_changes?style=all_docs`)
    for (const { id, changes } of results) {
      const revs = revisionsOf(await connection.done('GET', `/${database}/${encodeURIComponent(id)}?rev=${changes[0].rev}&revs=true`))
      const answer = await connection.done('POST', `/${database}/_bulk_get`, { docs: revs.map(rev => ({ id, rev })) })
      const values = answer.results.map(({ docs: [{ ok }] }) => ok?.value)
      this.#chains.set(`${database}/${id}`, { revs, values: values.filter(value => value !== undefined), whole: !values.includes(undefined) && revs[0].startsWith('1-'), leaves: changes.length })
    }
  }
}

/** From the first on. */
function revisionsOf ({ _revisions: { start, ids } }) {
  return ids.map((id, i) => `${start - i}-${id}`).reverse()
}

module.exports = { Final }

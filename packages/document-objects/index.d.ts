import { Databases, DocumentStore } from '@potoroo/document-store'
import { Pool } from 'pmemobj'

/** A document that a commit has changed. */
export interface Written {
  id: string
  /** The revision that wins now. */
  rev: string
  deleted: boolean
  seq: number
}

/** The members that CouchDB gives a document beside its own: they can only be read, but conflicts can be deleted. */
export interface DocumentMembers {
  readonly _id: string
  readonly _rev: string
  /** Stubs, by name. */
  readonly _attachments?: Readonly<Record<string, any>>
  /** Names who may see it, in a database with access by document. */
  readonly _access?: readonly string[] | { readonly read?: readonly string[], readonly write?: readonly string[] }
  /** Is there once the document is gone. */
  readonly _deleted?: true
  [conflicts]?: ReadonlyArray<any>
}

type Later = PromiseLike<unknown> | Generator<unknown, unknown, any> | AsyncGenerator<unknown, unknown, any>

/**
 * The documents of a database as a Map from ids to objects. An object has the members of the document that wins now, whoever wrote it:
 * a transaction here, an HTTP client, or replication; it is the same object for as long as it is held, and so are objects and arrays in it
 * while something of their kind is at their place, or where a transaction has moved them. A change of one that its document has no more is a TypeError. Beside its own members it has those of CouchDB, `_id`, `_rev`, `_attachments`
 * (stubs), `_access` and, once it is gone, `_deleted`: they can only be read. Reading costs no promise. A document with the members
 * `{ $ref: id }` in it has there the document of that id, if there is one.
 *
 * All that changes something is done in a transaction, and throws a TypeError elsewhere.
 */
export interface Documents<T extends object = any> extends Iterable<[string, T & DocumentMembers]> {
  /** The name of the database. */
  readonly name: string
  /** The database itself: revisions, attachments, feeds. */
  readonly store: DocumentStore
  /** All databases in its pool: `potoroo({ databases })` serves them, and PouchDB's adapter `document-store` has them. */
  readonly databases: Databases
  /** How many there are, design documents too. */
  readonly size: number
  get (id: string): (T & DocumentMembers) | undefined
  has (id: string): boolean
  /**
   * Makes a document, or replaces what one has by the JSON of `value`; attachments and `_access` stay. `_rev` of `value` does not count: what
   * the transaction saw does. TypeError for what JSON would lose, what Proxies or getters give without end, and instances of classes, in a document or
   * instead of one, unless they have `toJSON`; an instance of a class that is registered may be the document.
   */
  set (id: string, value: T): this
  /** @returns whether it was there */
  delete (id: string): boolean
  clear (): void
  /** In the order of CouchDB's `_all_docs`, by the bytes of ids. */
  entries (): Generator<[string, T & DocumentMembers], void>
  keys (): Generator<string, void>
  values (): Generator<T & DocumentMembers, void>
  forEach (visit: (document: T & DocumentMembers, id: string, documents: this) => void, self?: unknown): void
  readonly [Symbol.toStringTag]: string

  /**
   * Calls a function that reads and changes documents. All of its changes are in the database, durably, when the promise resolves with
   * what it returned; or nothing of them. They are seen by nobody else before. If another has changed meanwhile what it looked at, it is called
   * again, so it should do nothing else. It is called at once, or as soon as the commit before has ended.
   *
   * A transaction within one is a part of it: the call throws at once what its function throws, so that the other one ends with it unless it
   * catches that.
   *
   * Fails with what the function throws, and then nothing has changed; with what a document is refused for
   * (`doc_validation`, `document_too_large`, …); CONFLICT if others are always faster.
   */
  transaction<R> (work: () => R extends Later ? never : R): Promise<R>

  /**
   * Makes documents with these members instances of a class: its methods, getters and setters are theirs. `set` takes its instances, and
   * gives them the members. TypeError where the class has other members already, another class has
   * these, or a name of theirs begins with `_`.
   */
  register (constructor: new (...args: any[]) => object, options: { where: Record<string, string | number | boolean | null> }): void

  /**
   * Calls a listener after each commit, here or by others, that has changed a document, or with `documents.watch(documents, …)` any.
   *
   * @returns what ends it
   */
  watch (target: object, listener: (changes: Written[]) => void, options?: { signal?: AbortSignal }): () => void

  /** A plain copy of a document or a part of one, references as they are stored. */
  plain<V> (value: V): V

  /** Waits for transactions, and closes the database. Its objects throw CLOSED from then on, and transactions fail with it. */
  close (): Promise<void>
}

export interface DocumentsOptions {
  /** The member of an object that has no other, by which it stands for the document of that id. Default `$ref`. A TypeError: who has the database open already has another one. */
  reference?: string
}

/**
 * Opens a database as a Map of documents, and makes it where there is none. Asked twice, it gives the same.
 *
 * @param where a pool that the application has open; or databases of a server in this process, `app.service.databases.users`, that live in a pool
 * @throws not_implemented where they do not live in a pool; illegal_database_name for a new one that CouchDB's rule refuses (`a`–`z`, digits and `_$()+-/`, a letter first); a TypeError for another `where`, no name, or an unknown option
 */
export function openDocuments<T extends object = any> (where: Pool | Databases, name: string, options?: DocumentsOptions): Promise<Documents<T>>

/**
 * `document[conflicts]`: live revisions of a document that did not win, as frozen plain objects; empty where there are none.
 * `delete document[conflicts]`, in a transaction, deletes them: that is how a conflict ends.
 */
export const conflicts: unique symbol

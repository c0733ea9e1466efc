/** The order of an index's rows. It is a property of the index. */
export interface Collation {
  /** Another one where the encoding is another: of CouchDB's collation it says the version of ICU. */
  name: string
  /**
   * Text whose UTF-8 is ordered as the keys are, and so are its code units; no key's begins with
   * another's. Throws a TypeError of a BigInt, a RangeError of what is nested more than a thousand times.
   */
  encode (key: any): string
  /** Whether the key can be had back from its encoding. */
  decodes (key: any): boolean
  /** The key that `text` has at a place, where `decodes` says that it can be had, and where it ends. */
  decode (text: string, at?: number): { value: any, end: number }
  /** Returns the end of the key that `text` has at a place. */
  end (text: string, at: number): number
  /** The order of keys: negative, 0 or positive. */
  compare (a: any, b: any): number
  /** The order of what one document emits more than once under one key. */
  compareValues (a: any, b: any): number
}

/** PouchDB's: strings by code unit, as pouchdb-collate. */
export const pouchCollation: Collation
/** CouchDB's: strings by ICU's root collator; by code unit, under another name, where `collator` is null. */
export const couchCollation: Collation
/** CouchDB's "raw": Erlang's order of terms, strings by their bytes. */
export const rawCollation: Collation

/** The ICU that orders strings. */
export interface Collator {
  /** As `78.2` */
  libraryVersion: string
  /** The version of the root collator's data: `153.136` */
  collatorVersion: string
  /** The version of the Unicode Collation Algorithm: `17` */
  algorithmVersion: string
}

/** null where the native addon could not be built, or Node.js has no ICU that it could use. */
export const collator: Collator | null

/** The least string after everything that begins with `text`, an encoded key or its head. */
export function after (text: string): string

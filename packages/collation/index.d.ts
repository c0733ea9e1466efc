/** The order of an index's rows. It is a property of the index. */
export interface Collation {
  name: string
  /** Text whose UTF-8 is ordered as the keys are; no key's begins with another's. */
  encode (key: any): string
  /** The key that `text` has at a place, and where it ends. */
  decode (text: string, at?: number): { value: any, end: number }
  /** The order of keys: negative, 0 or positive. */
  compare (a: any, b: any): number
  /** The order of what one document emits more than once under one key. */
  compareValues (a: any, b: any): number
}

/** PouchDB's: strings by code unit, as pouchdb-collate. */
export const pouchCollation: Collation
/** CouchDB's. */
export const couchCollation: Collation

export function encodeKey (value: any): string
export function decodeKey (text: string, at?: number): { value: any, end: number }
/** The least string after everything that begins with `text`, an encoded key or its head. */
export function after (text: string): string

/// <reference types="node" />

/**
 * JSON.parse for the text of a document, of `{ docs: [document, …] }`, or of what `documentsOf` takes documents of. Integers that JavaScript's
 * numbers cannot hold are numbers in the value as ever, and are stored as they stand in the text. A
 * number beyond all of JavaScript's (1e400) is a SyntaxError.
 */
export function parseExact (text: string, documentsOf?: (value: any) => any[] | undefined): any

/**
 * The document of a request: JSON in UTF-8 without a mark in front, and without strings that UTF-8 cannot hold. The same as
 * `parseExact` else; what is malformed is a bad_request. `documents`: containers around those that carry their text, see `carrySent`.
 */
export function parseJson (bytes: Buffer, documents?: number): any

/**
 * `parseJson` of `{ docs: [document] }`, of documents that are not looked at: each has its special members alone, `_id` and their kin,
 * and carries its body as text, which is what a write stores. Undefined where the JSON is not as `JSON.stringify` writes it, has attachments
 * or documents whose ids begin with an underscore, or none, or is no JSON: `parseJson` says which. It takes a quarter of the time.
 */
export function readBare (bytes: Buffer): { docs: BareDocument[], [name: string]: any } | undefined

/** The same of a document by itself. */
export function readBareDocument (bytes: Buffer): BareDocument | undefined

interface BareDocument { _id?: string, _rev?: string, _deleted?: any, _revisions?: any }

/**
 * The same of an answer of `_bulk_get` with one document for each that was asked for. `id` and `rev` are empty where the document lacks them, and
 * `text` is the document's. One with other special members, such as attachments, is not bare; `doc` makes one of the others.
 */
export function readBareResults (bytes: Buffer): Array<{ id: string, rev: string, isBare: boolean, text: string, doc: () => Record<string, any> | undefined }> | undefined

/**
 * The same in turns. Large objects carry the names of their members along, for `namesOf`, and documents their text, which is what
 * a write stores. `documents`: containers around those that are documents, 0 of one by itself, 2 in `{ docs: [document] }`; `most`:
 * characters of a document's text, beyond which the rest is left out.
 */
export function parseLargeJson (bytes: Buffer, documents?: number, most?: number): Promise<any>

/** JSON.parse in turns, of what was not sent by somebody just now. `exact`: as `parseExact`. */
export function parseInTurns (text: string, options?: { exact?: boolean, documents?: number }): Promise<any>
/** JSON.parse; a promise of a text that is long, which is parsed in turns. */
export function parseText (text: string, options?: { documents?: number }): any

/** JSON.stringify in turns, of JSON. */
export function stringifyInTurns (value: any, names?: string[]): Promise<string>
/** Whether to copy a document takes so long that it is done in turns. */
export function isLargeCopy (doc: object): boolean
/**
 * A copy of a large document to be written, without some members and with others: in their place, or behind the rest. It has
 * the special members alone, and carries the text of the others. `exact`: with integers as they came. Throws a RangeError where
 * it is nested too deeply for JSON.stringify.
 */
export function copyInTurns (doc: Record<string, any>, isKept: (name: string) => boolean, members: Record<string, any>, options?: { exact?: boolean }): Promise<Record<string, any>>

/** Sets a member of a document that may carry integers or its text along: see `parseLargeJson`. */
export function setMember (doc: Record<string, any>, name: string, value: any): void

/** Object.keys of JSON of which no member was added or deleted since it was parsed. */
export function namesOf (object: object): string[]

/** A document's JSON without its special members, of which there are the names; `bytes` are of the body, Infinity of one that is too long to be written. */
export type CarriedText = { readonly body: string, special: string[], readonly bytes: number }

/** Has a copy that was made by spreading such a document, with other special members, carry its text, too. */
export function carryOver (copy: object): void

/** The text that this very document carries; a copy of it carries none. */
export function carriedText (doc: object): CarriedText | undefined

/** Writes terms in Erlang's external format, each from the beginning of its buffer. */
export class TermWriter {
  /** @param characters of JSON that the term will hold @param bytes of it besides */
  begin (characters: number, bytes: number): void
  /** The term, good until the next one begins. */
  end (): Buffer
  /** @param text JSON without white space, of any value */
  json (text: string): void
}

/**
 * Has documents of a JSON text, which `value` stands for, carry what was sent, less white space: the order of members, and
 * numbers as they were written. `documents` counts containers around them: 0 for one by itself, 1 for a list, 2 for `{ docs }`.
 */
export function carrySent (value: any, text: string, documents: number): void

/** The same of documents anywhere in it: `path` names members, and `*` all items of a list. One that is nested too deeply carries nothing. */
export function carrySentAt (value: any, text: string, path: string[]): void

/** JSON.stringify for a document of `parseExact`, or a copy of one with other underscore members: with its integers as they came. */
export function stringifyExact (doc: Record<string, any>): string

/** JSON.stringify for values that are nested more deeply than its stack is, up to `most` levels, 10,000 by default; bad_request beyond. */
export function stringifyAnyDepth (value: any, most?: number): string

/** Has a document carry the same with integers as they came: see `markedOf`. */
export function carryExact (doc: Record<string, any>, marked: Record<string, any>): void

/** A document with marks in the place of integers that JavaScript cannot hold, which it carries; itself where there are none. */
export function markedOf (doc: Record<string, any>): Record<string, any>

/** A document of `parseExact` that compares as its JSON does: integers that JavaScript's numbers cannot hold differ where their digits do. */
export function exactForm (doc: Record<string, any>): Record<string, any>

/** Returns the place behind the string, or the value, that begins at a place in JSON. */
export function endOfString (text: string, start: number): number
export function endOfValue (text: string, start: number): number

/** Says whether a value of JSON is an object, and no list. */
export function isObject (value: unknown): value is Record<string, any>

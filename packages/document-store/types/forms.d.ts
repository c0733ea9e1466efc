/// <reference types="node" />
import { AbstractLevel } from 'abstract-level'
import { AttachmentInfo, Document, DocumentInput, Moment, Origin, WriteResult } from './documents'
import { DocumentStore } from './store'

/** JSON of what `choose` takes of a document as it is: integers of any size stay as they are. In turns where the document is large. */
export function chooseInTurns (document: Document, choose: (value: any) => any, options?: { encodings?: boolean }): string | Promise<string>

/** The document as CouchDB's JSON form, parsed: `_id`, `_rev`, … in front (for PouchDB's face). Attachments carry `stub: true` or `data` as given by `attachmentData`. With `exact` it carries its members along as they are stored, until one is set that is not special: so it can be written again. */
export function toObject (document: Document, options?: { attachmentData?: (data: Buffer, info: AttachmentInfo) => any, exact?: boolean }): Record<string, any>

/** The same, in turns where the document is large: a promise then. With `exact` a large one carries its text. */
export function toObjectInTurns (document: Document, options?: { attachmentData?: (data: Buffer, info: AttachmentInfo) => any, exact?: boolean }): Record<string, any> | Promise<Record<string, any>>

/** The document to be written again with other special members (`_attachments`). It has no others: they are carried as text. */
export function toEditable (document: Document): Record<string, any>

/** The same as JSON text, without parsing the body (for HTTP's face); attachment data in base64. With `encodings` attachments say how they are stored. */
export function toJson (document: Document, options?: { encodings?: boolean }): string

/** `{ encoding, encoded_length }` of what is stored compressed, else nothing. */
export function encodingForm (info: AttachmentInfo): { encoding?: string, encoded_length?: number }

/** `{ time, user, seq }` of a document's last change as `_meta` has it: the time in ISO 8601, null where it is not known. */
export function metaForm (origin: Origin): { time: string | null, user: string | null, seq?: number }

/** Reads a moment, as `at` takes it; bad_request of what is none. */
export function parseMoment (at: unknown): { seq: number } | { time: number }

/**
 * Makes documents what they were at a moment, as new revisions; one that was not there then is deleted. A document that is
 * so already is not written. The database may be a view of a store. Results come in parts, in the order of `ids`; who stops
 * asking for them stops it.
 */
export function restore (database: Pick<DocumentStore, 'get' | 'getAttachment' | 'write'>, at: Moment, ids: string[]): AsyncGenerator<WriteResult[]>

/**
 * Fills an empty level with the documents of a database as they were at a moment, to be opened by `DocumentStore.open`;
 * design documents are those of now that are named. Contents of attachments are not there. too_large of more than 10,000
 * documents or 32 MiB.
 */
export function fillMoment (store: Pick<DocumentStore, 'allDocs' | 'get' | 'instanceId' | 'partitioned'>, level: AbstractLevel<any, any, any>, options: { at: Moment, partition?: string, designs?: string[] }): Promise<void>

/** Throws what a write of this document would be refused with, whatever is stored. */
export function validateDocument (doc: DocumentInput, options?: { newEdits?: boolean }): void

/** Throws unless it is the id of a document, a design document or a local document. */
export function validateId (id: unknown): void

/** Throws unless it may be a revision. */
export function validateRevision (rev: unknown): void

/** The order of ids: by the bytes of their UTF-8. Negative, 0 or positive. */
export function compareUtf8 (a: string, b: string): number

/** The partition of a document in a partitioned database; null of what is in none. */
export function partitionOf (id: string): string | null

/** The name itself; illegal_partition where no partition may have it. */
export function validatePartition (name: any): string

/** Throws illegal_docid or illegal_partition unless a document of a partitioned database may have the id. */
export function validatePartitionedId (id: string): void

/** Whole numbers from 0 on as short text whose order is theirs. For who keeps keys beside the store's. */
export function encodeNumber (number: number): string

export function decodeNumber (text: string): number

/** The principals who may read a live document of a database with access by document: each may stand before keys of an index, with ':' behind. */
export function principalsOf (document: { id: string, body: string }): string[]
/** Whether a design document does nothing: in a database with access by document, one that has `_access` is for replicas alone. */
export function isInert (database: { byDocument: boolean }, ddoc: Record<string, any>): boolean

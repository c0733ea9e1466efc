import { Document, Moment, Origin, ReadOptions } from './documents'

export interface RangeOptions {
  startkey?: string
  endkey?: string
  inclusiveEnd?: boolean
  descending?: boolean
  skip?: number
  /** Undefined for no limit. */
  limit?: number
}

export interface AllDocsOptions extends RangeOptions, ReadOptions {
  /** Exactly these, in this order, with rows for missing (`error`) and deleted ones. */
  keys?: string[]
  /** Only documents of this partition. */
  partition?: string
  includeDocs?: boolean
  /** As the documents were then. `totalRows` and `offset` are null. Goes with `attachments` and `meta` of what follows. */
  at?: Moment
  /** Count the rows before `startkey` into `offset`. The first time that reads them all, later some 100 of them. Default false: `offset` is `skip`. */
  exactOffset?: boolean
}

export type AllDocsRow =
  | { id: string, key: string, value: { rev: string, deleted?: true, meta?: Origin }, document?: Document | null }
  | { key: string, error: 'not_found' }

export interface AllDocsResult {
  /** Documents that are there; null with `at`. */
  totalRows: number | null
  /** Rows before the first; null with keys, and with `at`. */
  offset: number | null
  updateSeq: number
  /** Pages, read from one snapshot as they are asked for. Ending early releases it. */
  rows: AsyncIterable<AllDocsRow[]>
}

export interface Change {
  seq: number
  id: string
  /** The winner alone, or all leaves (winner first) with style all_docs. */
  changes: Array<{ rev: string }>
  deleted: boolean
  /** With includeDocs or a filter. */
  document?: Document
}

export interface ChangesOptions extends ReadOptions {
  /** Changes after this sequence. Default 0. */
  since?: number
  limit?: number
  descending?: boolean
  style?: 'main_only' | 'all_docs'
  includeDocs?: boolean
  /** Only these documents. */
  docIds?: string[]
  /** Called a page at a time with `document` present in each; says which pass, and may take revisions out of their `changes`. */
  filter?: (changes: Change[]) => boolean[] | Promise<boolean[]>
  /** false leaves `pending` at 0: to count may take a scan. Default true. */
  pending?: boolean
  /** `pending` is how many changes there are from `since` on, less those that were given. Default false. */
  pendingOfRows?: boolean
}

/** A change as a member of a database with access by document is told it. */
export interface MemberChange extends Omit<Change, 'seq'> {
  /** Says where it is to them alone, and nothing of what others write. */
  seq: string
  /** They had the document and may no longer see it: `changes` names revisions that delete what they had, which can be read as such. */
  gone?: boolean
}

/** Iterates pages of changes. `lastSeq` and `pending` are true of what was iterated so far. */
export interface Changes extends AsyncIterable<Change[]> {
  /** The last sequence that was looked at, whether it passed the filter or not. */
  readonly lastSeq: number
  /** Changes after lastSeq (not filtered). */
  readonly pending: number
}

import { DocumentStore } from '@potoroo/document-store'

type IndexSpace = DocumentStore['indexSpace']
type Keyspace = IndexSpace['keyspace']

/** A term of a text: its place among the terms, from 0, and its UTF-16 units there. Terms that are left out leave a gap in the positions. */
export interface Token { term: string, position: number, start: number, end: number }
/** `field` chooses among the analyzers of `perfield`; `_id` and `_partition` are one term always. */
export interface Analyzer {
  (text: string, field?: string): Token[]
  /** Brings text of a pattern into the form of the terms: lower case and normal forms, without stop words and stems. */
  normalize? (text: string, field?: string): string
  /** Returns what makes a term of each word of the standard tokenizer, null: it is left out; undefined if that does not tell the terms of a text. */
  termOf? (field?: string): ((word: string) => string | null) | undefined
}
export type AnalyzerSpec = string
  | { name: string, stopwords?: string[] }
  | { name: 'perfield', default?: AnalyzerSpec, fields?: Record<string, AnalyzerSpec> }
/** Clouseau's `standard` leaves English stop words out, and Nouveau's does not. Clouseau's without words. */
export interface AnalyzerOptions { dialect?: 'clouseau' | 'nouveau' }
/** The analyzer of that name, of all that Clouseau and Nouveau have. Throws a 400 `bad_request` where there is none. */
export function analyzer (spec: AnalyzerSpec, options?: AnalyzerOptions): Analyzer
/** Whether there is one of that name; `perfield` is none. */
export function isAnalyzerName (name: unknown): name is string

/** A clause asks for its node, is better with it, or excludes it; `filter` asks for it, and it scores nothing: no query says so by itself. */
export interface QueryClause { occur: 'must' | 'should' | 'must_not' | 'filter', node: QueryNode }
/** `boost` multiplies scores. */
export type QueryNode = { boost?: number } & (
  /** `number` where the text is one: fields may hold it as a number. */
  | { type: 'term', field: string, term: string, number?: number }
  /** `position` counts from 0; `slop` is how far the terms may be moved in all. */
  | { type: 'phrase', field: string, terms: { term: string, position: number }[], slop: number }
  | { type: 'prefix', field: string, prefix: string }
  /** `*` are any characters, `?` is one, and a backslash takes the next one as it is. */
  | { type: 'wildcard', field: string, pattern: string }
  /** The first `prefixLength` characters are the same. Terms of which no character need be the same are left out, unless `anySimilarity`. */
  | { type: 'fuzzy', field: string, term: string, edits: number, prefixLength: number, anySimilarity?: boolean }
  /** Places of the words of a field, and how they stand to each other. */
  | { type: 'intervals', field: string, source: IntervalSource }
  /** Lucene's syntax; whole terms match. */
  | { type: 'regexp', field: string, pattern: string }
  /** A bound that is null is open. Numbers where both bounds are, and else terms. */
  | { type: 'range', field: string, low: string | number | null, high: string | number | null, includeLow: boolean, includeHigh: boolean }
  /** Documents with that number: no query says so by itself. */
  | { type: 'number', field: string, value: number }
  /** `least`: how many of those that are better with it have to match, besides the others. */
  | { type: 'boolean', clauses: QueryClause[], least?: number }
  | { type: 'all' }
  | { type: 'none' }
)
/** Functions of intervals, as Lucene's StandardQueryParser has them: `numbers` and `sources` are the arguments, each in their order. */
export type IntervalSource =
  | { fn: 'none' }
  | { fn: 'term', text: string }
  /** `most`: how many terms it may stand for. */
  | { fn: 'wildcard', text: string, most: number }
  | { fn: 'fuzzyTerm', text: string, edits: number, most: number }
  | { fn: 'or' | 'phrase' | 'ordered' | 'unordered' | 'unorderedNoOverlaps' | 'atLeast' | 'maxgaps' | 'maxwidth' | 'extend', numbers: number[], sources: IntervalSource[] }
  /** The first source is chosen from by the second one. */
  | { fn: 'before' | 'after' | 'containing' | 'containedBy' | 'overlapping' | 'within', numbers: number[], sources: IntervalSource[] }
  | { fn: 'notContaining' | 'notContainedBy' | 'nonOverlapping' | 'notWithin', numbers: number[], sources: IntervalSource[] }

export interface ParseOptions {
  defaultField: string
  analyze: Analyzer
  /** Changes the text of patterns, ranges and fuzzy terms; `analyze.normalize` if not said, and else lower case. */
  normalize? (text: string, field?: string): string
  /** `OR` if not said. */
  defaultOperator?: 'OR' | 'AND'
  /** True if not said. */
  allowLeadingWildcard?: boolean
}
/** Parses a query of Lucene's classic syntax. Throws a 400 `bad_request` where it is none, or has more than 1024 clauses or 256 open parentheses. */
export function parseQuery (query: string, options: ParseOptions): QueryNode

/** A query of Lucene's standard syntax, before the types of its fields are known. */
export type StandardSyntax =
  | { kind: 'word', field: string, text: string, edits?: number }
  | { kind: 'quoted', field: string, text: string, slop: number }
  | { kind: 'regexp', field: string, text: string }
  /** `*` is no bound. */
  | { kind: 'range', field: string, low: string, high: string, includeLow: boolean, includeHigh: boolean }
  | { kind: 'intervals', field: string, source: IntervalSyntax }
  | { kind: 'boost', part: StandardSyntax, by: number }
  | { kind: 'group', part: StandardSyntax, least: number }
  | { kind: 'modified', part: StandardSyntax, sign: '+' | '-' }
  | { kind: 'and' | 'or' | 'list', parts: StandardSyntax[] }
/** A function of intervals as it is written; the texts have their escapes. */
export type IntervalSyntax =
  | { fn: 'text', text: string }
  | { fn: 'wildcard' | 'fuzzyTerm', text: string, numbers: number[] }
  | { fn: string, numbers: number[], sources: IntervalSyntax[] }
/** Reads a query of Lucene's standard syntax, as Nouveau has it. Throws a 400 `bad_request` where it is none. */
export function readStandard (query: string, defaultField: string): { syntax: StandardSyntax, fields: Set<string> }
/** Makes the query. Words and ranges of fields with a reader of numbers are numbers. Throws a 400 `bad_request`. */
export function buildStandard (query: string, syntax: StandardSyntax, options: { analyze: Analyzer, numbersOf (field: string): ((text: string) => number | undefined) | undefined }): QueryNode
/** Reads a number at the beginning of a text, as a language writes it; English if that is unknown. */
export function numberReader (locale?: string): (text: string) => number | undefined

/** Tells which terms a node stands for. Its methods throw a 400 `bad_request` where a pattern turns out to be too complex. */
export interface TermMatcher {
  /** All terms begin so. */
  prefix: string
  accepts (term: string): boolean
  /** The lowest term from this one on, by code points, that may be accepted; undefined where there is none. */
  next? (term: string): string | undefined
  /** Weighs a term that a fuzzy one accepts, as Lucene does: 1 where nothing differs, less for each edit. */
  similarity? (term: string): number
  /** Tells how many steps were made since it was asked last. */
  takeCost? (): number
}
/** The matcher of a node of the type `prefix`, `wildcard`, `fuzzy` or `regexp`. Throws a 400 `bad_request` where the pattern is wrong or has more than 1000 characters. */
export function termMatcher (node: QueryNode): TermMatcher

/** Terms of some documents, each once, which of them these have one after the other, and where. */
export interface Terms { names: string[], tokens: Int32Array, positions: Int32Array }
/** Terms as a thread sends them. dictionary: whose names they have; base: how many of these went before; more: the others; null: there are none. */
export interface SentTerms { dictionary: string, base: number, more: string | null, tokens: Int32Array, positions: Int32Array }
/** A document as an index takes it. `fields`: name, length, code of the length, and which tokens of `terms`; `whole`: name and term. */
export interface BuiltDocument {
  terms: Terms
  fields: Array<[field: string, length: number, norm: number, from: number, to: number]>
  whole: Array<[field: string, term: string]>
  numbers: Array<[field: string, number: string]>
  stored: Record<string, any>
  values: Record<string, any>
  units: number
}

/** Gathers what is to be indexed of one document. */
export class DocumentBuilder {
  /** A field may have several texts, one behind the other. */
  addText (name: string, tokens: Token[]): void
  /** Adds a text that is a term as a whole. */
  addTerm (name: string, value: string): void
  addNumber (name: string, value: number): void
  /** Says of which type a field is. */
  addType (name: string, type: string): void
  /** Keeps what hits give back. */
  store (name: string, value: any): void
  /** Keeps what hits are sorted by and counted by; a text of more than 256 characters is left out. */
  addValue (name: string, value: any): void
  boost (name: string, boost: number): void
  finish (): BuiltDocument
  /** Does the same step by step, so that others may run in between. */
  steps (): Generator<void, BuiltDocument>
}

/** Adds the document's partition as a term. */
export function identify (built: BuiltDocument, partition?: string): BuiltDocument
/** The field of the values of a facet, each a term. */
export function facetField (name: string): string
export const PARTITION: string
/** The names of terms that threads with `functionEncoder` have sent for an index: each once in a session, which its options name. */
export class Dictionaries {
  readonly session: string
  /** Whether it is time to begin another one: there are many. */
  readonly isFull: boolean
  /** Gives the `terms` of a part their names. Parts of a thread come in order. */
  complete (terms: SentTerms): void
}
/** The file of a module that makes documents of what index functions give, in a thread of the query server. */
export const functionEncoder: string

/** Works out what a batch of documents changes in an index. Its caller writes the operations; others write nothing to the index meanwhile. */
export class IndexWriter {
  /** known: what batches before have left there */
  constructor (keyspace: Pick<Keyspace, 'getMany' | 'getBinary' | 'entries'>, prefix: string, counts: IndexCounts, known?: TermNumbers)
  /** Replaces documents; null: it is in the index no longer. fresh: none of them is in the index. */
  replace (documents: Array<{ id: string, built: BuiltDocument | null }>, fresh?: boolean): Promise<void>
  readonly operations: any[]
  readonly bytes: number
  readonly counts: IndexCounts
}
/** The numbers of the document and of the term that come, and how many documents there are. */
export interface IndexCounts { next: number, terms: number, documents: number }
/** The numbers of terms that batches of documents had: those after them need not read them. Worth nothing after a batch that was not written. */
export class TermNumbers {
  get (field: string, term: string): number | undefined
  set (field: string, term: string, number: number): void
  delete (field: string, term: string): void
  /** The numbers of names that a thread has sent, by their places, + 1; 0, and what is behind the end: not known. */
  numbersOf (names: string[], field: string): Int32Array
  remember (names: string[], field: string, numbers: Int32Array): void
}

/** The layout of an index's records: one of another has to be built again. */
export const INDEX_LAYOUT: number

export interface DocumentRecord { id: string, stored: Record<string, any>, values: Record<string, any> }
/** A term of an index. df: how many documents have it; blocks and tail: where its postings are. */
export interface Term { number: number, df: number, blocks: number, tail: { count: number, last: number, docs: string, positions: string } }

/** The records of an index at one moment. */
export class IndexReader {
  constructor (space: IndexSpace, prefix: string, snapshot: any, documents: number)
  readonly documents: number
  /** How many documents have a field, and how many terms they have there. */
  statistics (field: string): Promise<[documents: number, terms: number]>
  term (field: string, term: string): Promise<Term>
  /** Terms that `terms` found, by their numbers; aligned. */
  found (field: string, numbers: number[]): Promise<Term[]>
  /** The terms of a field, from one on, page by page; none: there are no more. */
  terms (field: string, from: string): { next (): Promise<Array<{ term: string, number: number }>>, seek (term: string): void, close (): Promise<void> }
  /** Documents in the order of their ids, and all in that of their numbers, page by page. */
  ids (from: string): AsyncGenerator<Array<{ id: string, doc: number }>>
  all (): AsyncGenerator<number[]>
  /** The records of documents; aligned. */
  records (docs: number[]): Promise<DocumentRecord[]>
}

export type FieldType = 'string' | 'text' | 'double' | 'stored'
/** The types of those fields that documents have. Throws a 400 of a field with two. */
export function fieldTypes (reader: IndexReader, fields: Iterable<string>): Promise<Map<string, FieldType>>

/** One thing that hits are ordered by; `unit` is in meters. */
export type Sort = { by: 'score', descending: boolean } | { by: 'doc', descending: boolean } | { by: 'id', descending: boolean }
  | { by: 'number', field: string, descending: boolean, least?: boolean, missing?: number } | { by: 'string', field: string, descending: boolean, least?: boolean }
  | { by: 'distance', descending: boolean, lonField: string, latField: string, lon: number, lat: number, unit: number }
export interface NumberRange { low: number, high: number, includeLow: boolean, includeHigh: boolean }
/** keys: what it is ordered by, and its document. */
export interface Hit { doc: number, score: number, record?: DocumentRecord, keys: any[] }

export interface FindOptions {
  /** Hits, or groups. */
  limit: number
  /** By relevance, if there is none. */
  sort?: Sort[]
  /** Keys of a hit: those up to it are left out. */
  after?: any[]
  /** Fields whose values are counted. */
  counts?: string[]
  ranges?: Record<string, Record<string, NumberRange>>
  /** limit: hits of each group; sort: of groups, by the best of each. */
  group?: { field: string, limit: number, sort: Sort[] }
  /** Limits what it costs. */
  work?: Work
}
/**
 * Counts what a query costs, and ends it with an error. most: how much it may read; deadline: until when somebody waits for it, by
 * `performance.now`; isWanted: whether somebody still waits.
 */
export class Work {
  constructor (options?: { most?: number, deadline?: number, isWanted?: () => boolean })
  /** Counts postings that were read, or their worth; a promise where others are to have their turn. Throws a 400 `bad_request`, and `timeout`. */
  spend (count: number): void | Promise<void>
}

export interface Found {
  total: number
  hits: Hit[]
  counts?: Record<string, Record<string, number>>
  ranges?: Record<string, Record<string, number>>
  /** best: keys that the group is ordered by. */
  groups?: Array<{ by: any, total: number, best: any[], hits: Hit[] }>
}

/** Finds what a query asks for. Throws a 400 of one that costs too much. */
export function find (reader: IndexReader, node: QueryNode, options: FindOptions, matcherOf: (node: any) => TermMatcher): Promise<Found>

/** The same, page by page; `limit` is of the first one. The reader is read until the last page. */
export function findPages (reader: IndexReader, node: QueryNode, options: Pick<FindOptions, 'limit' | 'sort' | 'after' | 'work'>, matcherOf: (node: any) => TermMatcher): AsyncGenerator<Hit[]>

export interface HighlightOptions { preTag: string, postTag: string, number: number, size: number }
/** The fragments of a text that have the most wanted terms, which stand between tags. */
export function highlight (text: string, tokens: Token[], isWanted: (term: string) => boolean, options: HighlightOptions): string[]
/** Which terms of a field a query looks for. */
export function wantedTerms (node: QueryNode, field: string, matcherOf: (node: any) => TermMatcher): (term: string) => boolean
/** Whether these are keys that a hit of an order may have; by relevance, if there are no sorts. */
export function areKeys (keys: unknown, sorts?: Sort[]): keys is any[]
/** The order of two hits' keys. */
export function comparator (sorts?: Sort[]): (a: any[], b: any[]) => number

export interface VectorHit {
  id: string
  /** More is nearer: the cosine, the product, or 1 / (1 + distance). */
  similarity: number
}
/** Vectors by id, in memory. Up to 2,000 are looked at one by one; of more, a graph (HNSW) finds the nearest, nearly all of them. */
export class VectorIndex {
  constructor (options: { dimensions: number, metric: 'cosine' | 'dot' | 'l2' })
  readonly size: number
  /** Places in memory, also of vectors that are gone. */
  readonly places: number
  /** Throws a TypeError where the number of dimensions is another. */
  set (id: string, vector: ArrayLike<number>): void
  delete (id: string): void
  /** Brings the graph up to the vectors, with pauses, unless it is over. Until then, `nearest` looks at the others one by one. One build at a time. */
  build (isOver?: () => boolean): Promise<void>
  /** The nearest first, `k` at most, found with pauses. */
  nearest (near: ArrayLike<number>, k: number): Promise<VectorHit[]>
  /** The vectors of these ids, the nearest first, exactly. */
  rank (near: ArrayLike<number>, ids: Iterable<string>): VectorHit[]
}

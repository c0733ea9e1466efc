/** Functions of design documents get and give JSON; nothing is known of its shape. */
export type Json = any

/** The parts of prelude.js that the preludes after it use. */
export interface Prelude {
  /** The calls of the host, by kind. Each takes what was sent as JSON, and returns JSON. */
  kinds: Record<string, (...given: any[]) => string>
  raise (error: unknown): never
  raiseFatal (error: unknown): void
  describe (error: unknown): { error: string, reason: unknown }
  tell (level: 'info' | 'warning', message: string): void
  plain (value: Json): Json
  parseDeep (json: string): Json
  /** The class of the engine's own errors. */
  Internal: ErrorConstructor
  isOfStack (error: { message: unknown }): boolean
  functionOf (): Function
  functionsOf (): Function[]
  libraryOf (): Json
  isSealed (): boolean
}

export interface MediaTypes {
  register (name: string, types: string[]): void
  choose (types: string[], accept: string): string
  types (name: string): string[]
  name (type: string): string
}

/** The global object of a context: the preludes leave names there for each other and for functions. */
export interface World {
  __prelude: Prelude
  __mediaTypes: MediaTypes
  /** Gives a piece to the host. Returns what it answers. */
  __more (piece: string, wantsRows: boolean): string
  [name: string]: any
}

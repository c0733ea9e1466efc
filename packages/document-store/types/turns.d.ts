/** How long others have waited, for what goes through much: where a turn is long, they run before the next. */
export class Turn {
  readonly isLong: boolean
  end (): Promise<void>
}

/**
 * Does something with each element of a list, and lets others run in between: a promise only where it takes more than a turn.
 * The clock is looked at after a number of elements.
 */
export function inTurns<T> (list: T[], work: (element: T, index: number) => void, every?: number): void | Promise<void>

/** The same, for what each element becomes. */
export function mapInTurns<T, U> (list: T[], work: (element: T, index: number) => U, every?: number): U[] | Promise<U[]>

/** Resolves in a later round of the event loop, in the order of the calls; long turns have a round each. */
export function nextRound (): Promise<void>

declare module 'cli-progress' {
  export class SingleBar {
    constructor (options: { stream: any, format: string, hideCursor?: boolean, clearOnComplete?: boolean })
    start (total: number, value: number, words: Record<string, string>): void
    setTotal (total: number): void
    update (value: number, words: Record<string, string>): void
    stop (): void
  }
}

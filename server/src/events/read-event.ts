import { IncomingEvent, maxPropertiesBytes } from '@usher/contract'
import { Compile } from 'typebox/compile'

const validator = Compile(IncomingEvent)
const fields = new Set(Object.keys(IncomingEvent.properties))

/** An event that may be stored, or the message that says why it may not. */
export type ReadEvent = { event: IncomingEvent; warning: string | undefined } | { refusal: string }

/** Text that PostgreSQL (NUL) or UTF-8 (a lone surrogate) cannot carry. */
const cannotBeStored = (text: string): boolean => !text.isWellFormed() || text.includes('\0')

/** Checks one element of `events` on its own (decisions, "Events"). Unknown fields are dropped with a warning. */
export function readEvent(value: unknown): ReadEvent {
  if (!validator.Check(value)) return { refusal: refusalOf(value) }
  if (cannotBeStored(value.url)) return { refusal: 'url must not hold NUL or a lone surrogate' }
  if (value.occurred_at !== undefined && Number.isNaN(Date.parse(value.occurred_at)))
    return { refusal: 'occurred_at must be a time that exists' }
  const unknown: string[] = []
  for (const name in value) if (!fields.has(name)) unknown.push(name)
  if (value.seconds !== undefined && value.type !== 'heartbeat') {
    const { seconds: _, ...event } = value
    return readProperties(event, [...unknown, 'seconds'])
  }
  return readProperties(value, unknown)
}

function readProperties(value: IncomingEvent, unknown: string[]): ReadEvent {
  if (value.properties !== undefined) {
    if (value.type === 'page_view' || value.type === 'heartbeat') {
      unknown.push('properties')
      const { properties: _, ...event } = value
      return { event, warning: warningOf(unknown, value.type) }
    }
    const refusal = refusalOfProperties(value.properties)
    if (refusal) return { refusal }
  }
  return { event: value, warning: unknown.length > 0 ? warningOf(unknown, value.type) : undefined }
}

function warningOf(unknown: string[], type: string): string {
  const names = unknown.map(name => name.slice(0, 64).toWellFormed()).slice(0, 10)
  return `dropped, as ${type} events have no such field: ${names.join(', ')}`
}

function refusalOf(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'an event must be an object'
  for (const fault of validator.Errors(value)) {
    const [, name = ''] = fault.instancePath.split('/')
    const property = Object.entries(IncomingEvent.properties).find(([key]) => key === name)
    if (property) {
      const [field, { description }] = property as [string, { description?: string }]
      return `${field} must be ${description ?? 'valid'}`
    }
    const missing = Object.keys(IncomingEvent.properties).find(
      key => !(key in value) && (IncomingEvent.required as readonly string[]).includes(key),
    )
    if (missing) return `${missing} is missing`
  }
  return 'the event is not valid'
}

function refusalOfProperties(properties: Record<string, unknown>): string | undefined {
  for (const name in properties) {
    const value = properties[name]
    if (cannotBeStored(name) || (typeof value === 'string' && cannotBeStored(value)))
      return 'properties must not hold NUL or a lone surrogate'
  }
  if (Buffer.byteLength(JSON.stringify(properties)) > maxPropertiesBytes)
    return `properties must be at most ${maxPropertiesBytes} bytes of JSON`
  return undefined
}

import { describe, expect, test } from 'vitest'
import { contrastRatio, palettesOf } from './palette.ts'

/** Every color whose channels are among these. */
const steps = [0, 17, 64, 96, 119, 128, 160, 204, 238, 255]
const two = (value: number) => value.toString(16).padStart(2, '0')
const colors = steps.flatMap(red =>
  steps.flatMap(green => steps.map(blue => `#${two(red)}${two(green)}${two(blue)}`)),
)

describe('the contrast ratio (WCAG 2.2)', () => {
  test.for([
    ['#000000', '#ffffff', 21],
    ['#777777', '#ffffff', 4.48],
    ['#ffffff', '#767676', 4.54],
    ['#8b1e3f', '#8b1e3f', 1],
  ] as const)('of %s and %s is %d', ([one, other, ratio]) => {
    expect(contrastRatio(one, other)).toBeCloseTo(ratio, 2)
  })
})

describe("a page in a tenant's color", () => {
  test.for(['light', 'dark'] as const)('can be read in %s mode, whatever the color', mode => {
    const text = mode === 'light' ? ['#15171c', '#545b69'] : ['#f2f3f5', '#a9b0bd']
    for (const color of [...colors, null]) {
      const { back, card, button, onButton, edge, accent } = palettesOf(color)[mode]
      expect([color, contrastRatio(onButton, button) >= 4.5]).toEqual([color, true])
      expect([color, contrastRatio(accent, card) >= 4.5]).toEqual([color, true])
      expect([color, contrastRatio(accent, back) >= 4.5]).toEqual([color, true])
      expect([color, contrastRatio(edge, card) >= 3]).toEqual([color, true])
      for (const ink of text) {
        expect([color, ink, contrastRatio(ink, back) >= 4.5]).toEqual([color, ink, true])
        expect([color, ink, contrastRatio(ink, card) >= 4.5]).toEqual([color, ink, true])
      }
    }
  })

  test('keeps the color where it can be read as it is', () => {
    const { light, dark } = palettesOf('#8b1e3f')
    expect(light).toMatchObject({
      button: '#8b1e3f',
      onButton: '#ffffff',
      edge: '#8b1e3f',
      accent: '#8b1e3f',
    })
    expect(dark.button).toBe('#8b1e3f')
    expect(dark.accent).not.toBe('#8b1e3f')
  })
})

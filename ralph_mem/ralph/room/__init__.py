"""The folder of its own in which a headless loop works, and how its result comes to the person."""

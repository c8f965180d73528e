"""Guard the repository in whose tree a loop works, so that nothing git knew is lost."""

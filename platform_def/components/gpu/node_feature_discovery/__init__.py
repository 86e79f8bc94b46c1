"""Node feature discovery."""
